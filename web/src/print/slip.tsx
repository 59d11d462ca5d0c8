import { QRCodeSVG } from 'qrcode.react'
import { Fragment, type ReactNode } from 'react'
import type { GuestInfo } from '../../../client/voucher-api.generated.ts'
import { type SlipVoucher, slipFacts } from './slip-facts.ts'
import { type GuestLanguage, slipTexts } from './slip-texts.ts'
import { wifiQrText } from './wifi-qr.ts'

export type SlipSite = {
  name: string
  guestInfo: Pick<GuestInfo, 'wifi_name' | 'wifi_password' | 'wifi_hidden' | 'time_zone' | 'footer'>
  logoUrl: string | null
}

type SlipProps = {
  voucher: SlipVoucher
  site: SlipSite
  /** One or two. The first one is emphasised. */
  languages: GuestLanguage[]
}

/**
 * The slip for a guest: how to join the Wi-Fi, the code and how long it is valid. `print.css` has the layouts for both
 * papers.
 */
export function Slip({ voucher, site, languages }: SlipProps) {
  const { wifi_name: wifiName, footer } = site.guestInfo
  const qrText = wifiQrText(site.guestInfo)
  return (
    <article className="vs-slip" data-languages={languages.length}>
      <header className="vs-slip-head">
        <h1>
          <InLanguages languages={languages} text={({ heading }) => heading} separator=" · " />
        </h1>
        <p className="vs-slip-site">{site.name}</p>
      </header>
      {wifiName && <JoinStep {...site.guestInfo} wifi_name={wifiName} languages={languages} />}
      {qrText && (
        <QRCodeSVG className="vs-slip-qr" value={qrText} level="M" marginSize={0} fgColor="#000" bgColor="#fff" />
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
        <p className="vs-slip-name">{voucher.name}</p>
        {footer && <p className="vs-slip-footer">{footer}</p>}
      </footer>
    </article>
  )
}

type JoinStepProps = { wifi_name: string; languages: GuestLanguage[] } & Pick<
  GuestInfo,
  'wifi_password' | 'wifi_hidden'
>

function JoinStep({ wifi_name, wifi_password, wifi_hidden, languages }: JoinStepProps) {
  return (
    <Step number={1} className="vs-slip-join">
      <div className="vs-slip-action">
        <InLanguages languages={languages} text={({ join }) => join} />
      </div>
      <div className="vs-slip-scan">
        <InLanguages languages={languages} text={(texts) => (wifi_hidden ? texts.scanOrType : texts.scanOrPick)} />
      </div>
      <div className="vs-slip-wifi">{wifi_name}</div>
      {wifi_password && (
        <div className="vs-slip-password">
          <InLanguages languages={languages} text={({ password }) => password} separator=" / " /> <b>{wifi_password}</b>
        </div>
      )}
    </Step>
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
