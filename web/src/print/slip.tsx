import { QRCodeSVG } from 'qrcode.react'
import { type CSSProperties, Fragment, type ReactNode, useId } from 'react'
import { type LanguageText, type SlipSite as ModelSite, type SlipPart, slipSections } from '#slips/slip-parts.ts'
import { wifiQrText } from '#slips/wifi-qr.ts'

/** `logoUrl`: the logo of the site or of the house. */
export type SlipSite = ModelSite & { logoUrl: string | null }

type WifiQrProps = { guestInfo: ModelSite['guestInfo']; children: (qrId: string | undefined) => ReactNode }

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
  /** From `slipParts`. */
  parts: SlipPart[]
  logoUrl: string | null
  /** From `WifiQr`. */
  qrId: string | undefined
  /** A card has the QR code and the logo at its right, and the other parts below each other at the left. */
  isCard: boolean
}

/** The slip for a guest. The first language is emphasised. `print.css` has the layouts for both papers. */
export function Slip({ parts: all, logoUrl, qrId, isCard }: SlipProps) {
  const parts = all.filter(({ kind }) => kind !== 'logo' || logoUrl !== null)
  const aside = isCard ? parts.filter(isAside) : []
  const { head, body, foot } = slipSections(parts.filter((part) => !aside.includes(part)))
  const rows = [...(head.length > 0 ? [[]] : []), ...blocksOf(body)]
  const places = placesAside(rows.map(isWideBlock), aside.length)
  const isNumbered = body.some((part) => part.kind === 'step' && part.number !== null)
  const draw = (part: SlipPart, index: number) => <Part key={index} part={part} qrId={qrId} logoUrl={logoUrl} />
  return (
    <article className="vs-slip" data-languages={languagesOf(parts)} data-aside={aside.length > 0 || undefined}>
      {head.length > 0 && <header className="vs-slip-head">{head.map(draw)}</header>}
      {blocksOf(body).map((block, index) => (
        <Block key={index} parts={block} isNumbered={isNumbered} draw={draw} />
      ))}
      {aside.toSorted(qrFirst).map((part, index) => (
        <div key={part.kind} className={`vs-slip-aside-${part.kind}`} style={{ gridRow: places[index] }}>
          {draw(part, 0)}
        </div>
      ))}
      {foot.length > 0 && <footer className="vs-slip-foot">{foot.map(draw)}</footer>}
    </article>
  )
}

const isAside = ({ kind }: SlipPart) => kind === 'wifi_qr' || kind === 'logo'
const qrFirst = (a: SlipPart, b: SlipPart) => Number(a.kind === 'logo') - Number(b.kind === 'logo')

/** How many languages the slip has. */
function languagesOf(parts: SlipPart[]): number {
  const counts = parts.map((part) => {
    if (part.kind === 'validity') return part.facts.length
    return part.kind === 'step' ? part.actions.length : part.kind === 'heading' ? part.texts.length : 1
  })
  return Math.max(...counts)
}

/** Parts that stand beside the number of their step. */
const besideNumber: SlipPart['kind'][] = ['step', 'wifi_name', 'wifi_password', 'code']

/** Longer texts get a line of the whole card, because people read a password faster in one line. In characters. */
const longestInColumn = { password: 30, name: 28 }

const isWide = (part: SlipPart | undefined) =>
  part?.kind === 'wifi_password' && part.text.length > longestInColumn.password

const isWideBlock = ([part]: SlipPart[]) => isWide(part)

/** The steps, each with what follows beside its number. Every other part is a block of its own. */
function blocksOf(body: SlipPart[]): SlipPart[][] {
  const blocks: SlipPart[][] = []
  for (const part of body) {
    const last = blocks.at(-1)
    const joins = (one: SlipPart | undefined) => one !== undefined && besideNumber.includes(one.kind) && !isWide(one)
    if (part.kind !== 'step' && joins(part) && joins(last?.at(-1))) last?.push(part)
    else blocks.push([part])
  }
  return blocks
}

/** The rows of the card beside which the QR code and the logo stand. A row of the whole card has nothing beside it. */
function placesAside(isWideRow: boolean[], count: number): string[] {
  const wide = isWideRow.indexOf(true)
  const last = isWideRow.lastIndexOf(false) + 1
  const end = wide === -1 ? isWideRow.length : wide
  const both = [`1 / ${Math.max(2, last > end ? end + 1 : last)}`, `${last}`]
  return count === 2 ? both : [`1 / ${end + 1}`]
}

type BlockProps = { parts: SlipPart[]; isNumbered: boolean; draw: (part: SlipPart, index: number) => ReactNode }

function Block({ parts, isNumbered, draw }: BlockProps) {
  const [first] = parts
  if (first === undefined || !besideNumber.includes(first.kind))
    return <div className="vs-slip-plain">{parts.map(draw)}</div>
  if (isWide(first)) return <div className="vs-slip-wide">{parts.map(draw)}</div>
  const number = first.kind === 'step' ? first.number : null
  return (
    <section className="vs-slip-step">
      {number !== null && <Disc number={number} />}
      {number === null && isNumbered && <span className="vs-slip-no-disc" />}
      <div>{parts.map(draw)}</div>
    </section>
  )
}

function Disc({ number }: { number: number }) {
  return (
    <svg className="vs-slip-disc" viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="10" cy="10" r="10" fill="#000" />
      <text x="10" y="14.2" fontSize="12" fontWeight="700" textAnchor="middle" fill="#fff">
        {number}
      </text>
    </svg>
  )
}

type PartProps = { part: SlipPart; qrId: string | undefined; logoUrl: string | null }

function Part({ part, qrId, logoUrl }: PartProps) {
  switch (part.kind) {
    case 'logo':
      return logoUrl && <img className="vs-slip-logo" src={logoUrl} alt="" />
    case 'heading':
      return (
        <h1>
          <InLanguages texts={part.texts} separator={`${noBreak}· `} />
        </h1>
      )
    case 'house':
      return <p className="vs-slip-site">{part.text}</p>
    case 'step':
      return (
        <>
          <div className="vs-slip-action">
            <InLanguages texts={part.actions} />
          </div>
          {part.hints.length > 0 && (
            <div className="vs-slip-scan">
              <InLanguages texts={part.hints} />
            </div>
          )}
        </>
      )
    case 'wifi_name':
      return <div className="vs-slip-wifi">{part.text}</div>
    case 'wifi_password':
      // The password is never broken: `print.css` makes it smaller instead.
      return (
        <div className="vs-slip-password" style={{ '--length': part.text.length } as CSSProperties}>
          <InLanguages texts={part.labels} separator=" / " /> <b>{part.text}</b>
        </div>
      )
    case 'wifi_qr':
      return (
        qrId && (
          <svg className="vs-slip-qr" viewBox="0 0 1 1" aria-hidden="true">
            <use href={`#${qrId}`} width="1" height="1" />
          </svg>
        )
      )
    case 'code':
      return <div className="vs-slip-code">{part.text}</div>
    case 'validity':
      return <Facts facts={part.facts} />
    case 'name':
      return (
        <p className="vs-slip-name" data-wide={part.text.length > longestInColumn.name || undefined}>
          {part.text}
        </p>
      )
    case 'footer':
      return <p className="vs-slip-footer">{part.text}</p>
  }
}

function Facts({ facts }: Pick<SlipPart & { kind: 'validity' }, 'facts'>) {
  return (
    <div className="vs-slip-facts">
      {facts.map(({ language, facts: ofLanguage }) => (
        <p key={language} lang={language}>
          {ofLanguage.map((fact, index) => (
            <Fragment key={fact}>
              <span className="vs-slip-fact">{fact}</span>
              {index < ofLanguage.length - 1 && <span className="vs-slip-dot"> · </span>}
            </Fragment>
          ))}
        </p>
      ))}
    </div>
  )
}

type InLanguagesProps = {
  texts: LanguageText[]
  /** The text between two languages on one line. Without it, each language has its own line. */
  separator?: string
}

/** A line that wraps does not begin with what follows this space. */
const noBreak = '\u00a0'

function InLanguages({ texts, separator }: InLanguagesProps) {
  return texts.map(({ language, text }, index) => (
    <span key={language} lang={language} className={separator === undefined ? 'vs-slip-line' : undefined}>
      {index > 0 && separator}
      {text}
    </span>
  ))
}
