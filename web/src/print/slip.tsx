import { QRCodeSVG } from 'qrcode.react'
import { type CSSProperties, Fragment, type ReactNode, useId } from 'react'
import type { GuestInfo } from '../../../client/voucher-api.generated.ts'
import { type SlipVoucher, slipFacts } from './slip-facts.ts'
import { type GuestLanguage, slipTexts } from './slip-texts.ts'
import { type WifiFacts, wifiQrText } from './wifi-qr.ts'

export type SlipSite = {
  name: string
  guestInfo: Pick<GuestInfo, 'wifi_name' | 'wifi_password' | 'wifi_hidden' | 'time_zone' | 'footer'>
  /** The name of the house; null if it has none. */
  house: string | null
  /** The logo of the site or of the house. */
  logoUrl: string | null
}

type WifiQrProps = { guestInfo: WifiFacts; children: (qrId: string | undefined) => ReactNode }

/** Draws the QR code of the Wi-Fi once, for any number of slips. They show it by its id, which is undefined if there is none. */
export function WifiQr({ guestInfo, children }: WifiQrProps) {
  const id = useId()
  const text = wifiQrText(guestInfo)
  if (text === null) return children(undefined)
  return (
    <>
      <div hidden>
        <QRCodeSVG id={id} value={text} level="M" marginSize={0} fgColor="#000" bgColor="#fff" />
      </div>
      {children(id)}
    </>
  )
}

type SlipProps = {
  voucher: SlipVoucher
  site: SlipSite
  /** From `WifiQr`. */
  qrId: string | undefined
  /** One or two. The first one is emphasised. */
  languages: GuestLanguage[]
}

/**
 * The slip for a guest: how to join the Wi-Fi, the code and how long it is valid. `print.css` has the layouts for both
 * papers.
 */
export function Slip({ voucher, site, qrId, languages }: SlipProps) {
  const { wifi_name: wifiName, wifi_password: wifiPassword, wifi_hidden: isHidden, footer } = site.guestInfo
  const password = wifiName && wifiPassword && <Password password={wifiPassword} languages={languages} />
  const isWide = wifiPassword !== null && wifiPassword.length > longestInColumn.password
  return (
    <article className="vs-slip" data-languages={languages.length}>
      <header className="vs-slip-head">
        <h1>
          <InLanguages languages={languages} text={({ heading }) => heading} separator=" · " />
        </h1>
        <p className="vs-slip-site">{placeOf(site)}</p>
      </header>
      {wifiName && (
        <JoinStep wifiName={wifiName} isHidden={isHidden} languages={languages}>
          {!isWide && password}
        </JoinStep>
      )}
      {isWide && password}
      {qrId && (
        <svg className="vs-slip-qr" viewBox="0 0 1 1" aria-hidden="true">
          <use href={`#${qrId}`} width="1" height="1" />
        </svg>
      )}
      <Step number={wifiName ? 2 : undefined} className="vs-slip-enter">
        <div className="vs-slip-action">
          <InLanguages languages={languages} text={({ enterCode }) => enterCode} />
        </div>
        <div className="vs-slip-code">{voucher.formatted_code}</div>
      </Step>
      {site.logoUrl && <img className="vs-slip-logo" src={site.logoUrl} alt="" />}
      <footer className="vs-slip-foot">
        <div className="vs-slip-facts">
          {languages.map((language) => (
            <p key={language} lang={language}>
              {slipFacts(voucher, language, site.guestInfo.time_zone).map((fact, index, all) => (
                <Fragment key={fact}>
                  <span className="vs-slip-fact">{fact}</span>
                  {index < all.length - 1 && <span className="vs-slip-dot"> · </span>}
                </Fragment>
              ))}
            </p>
          ))}
        </div>
        <p className="vs-slip-name" data-wide={voucher.name.length > longestInColumn.name || undefined}>
          {voucher.name}
        </p>
        {footer && <p className="vs-slip-footer">{footer}</p>}
      </footer>
    </article>
  )
}

/** Longer texts get a line of the whole slip, because people read a password faster in one line. In characters. */
const longestInColumn = { password: 30, name: 28 }

/** The house and the site. The house is left out if the site is called after it. */
function placeOf({ house, name }: SlipSite): string {
  return house === null || name.toLowerCase().includes(house.toLowerCase()) ? name : `${house} · ${name}`
}

type JoinStepProps = { wifiName: string; isHidden: boolean; languages: GuestLanguage[]; children: ReactNode }

function JoinStep({ wifiName, isHidden, languages, children }: JoinStepProps) {
  return (
    <Step number={1} className="vs-slip-join">
      <div className="vs-slip-action">
        <InLanguages languages={languages} text={({ join }) => join} />
      </div>
      <div className="vs-slip-scan">
        <InLanguages languages={languages} text={(texts) => (isHidden ? texts.scanOrType : texts.scanOrPick)} />
      </div>
      <div className="vs-slip-wifi">{wifiName}</div>
      {children}
    </Step>
  )
}

/** The password is never broken: `print.css` makes it smaller instead. */
function Password({ password, languages }: { password: string; languages: GuestLanguage[] }) {
  return (
    <div className="vs-slip-password" style={{ '--length': password.length } as CSSProperties}>
      <InLanguages languages={languages} text={(texts) => texts.password} separator=" / " /> <b>{password}</b>
    </div>
  )
}

/** A step with its number in a black disc. A single step has no number. */
function Step({ number, className, children }: { number: number | undefined; className: string; children: ReactNode }) {
  return (
    <section className={`vs-slip-step ${className}`}>
      {number !== undefined && (
        <svg className="vs-slip-disc" viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="10" cy="10" r="10" fill="#000" />
          <text x="10" y="14.2" fontSize="12" fontWeight="700" textAnchor="middle" fill="#fff">
            {number}
          </text>
        </svg>
      )}
      <div>{children}</div>
    </section>
  )
}

type InLanguagesProps = {
  languages: GuestLanguage[]
  text: (texts: (typeof slipTexts)[GuestLanguage]) => string
  /** The text between two languages on one line. Without it, each language has its own line. */
  separator?: string
}

function InLanguages({ languages, text, separator }: InLanguagesProps) {
  const words = languages.map((language) => ({ language, word: text(slipTexts[language]) }))
  const different = words.filter(({ word }, index) => words.findIndex((other) => other.word === word) === index)
  return different.map(({ language, word }, index) => (
    <span key={language} lang={language} className={separator === undefined ? 'vs-slip-line' : undefined}>
      {index > 0 && separator}
      {word}
    </span>
  ))
}
