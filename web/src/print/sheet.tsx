import { Fragment } from 'react'
import type { GuestLanguage } from '#slips/guest-languages.ts'
import type { SlipVoucher } from '#slips/slip-facts.ts'
import { slipsOf } from '#slips/slip-parts.ts'
import { cardsOfSheet, columns, rows } from './sheet-grid.ts'
import { Slip, type SlipSite, WifiQr } from './slip.tsx'

export type Paper = 'a4' | '80mm'

type SheetProps = { vouchers: SlipVoucher[]; site: SlipSite; languages: GuestLanguage[] }

/** The slips of all vouchers: one for each, or one for each of its languages. */
const allSlips = ({ vouchers, site, languages }: SheetProps) =>
  vouchers.flatMap((voucher) =>
    slipsOf(voucher, site, languages).map((parts, index) => ({ id: `${voucher.id} ${index}`, parts })),
  )

/** 80 mm paper: a page for each slip, so that the printer cuts after it. */
export function Roll(job: SheetProps) {
  const { guestInfo, logoUrl } = job.site
  return (
    <WifiQr guestInfo={guestInfo}>
      {(qrId) => (
        <div className="vs-roll">
          {allSlips(job).map(({ id, parts }) => (
            <Slip key={id} parts={parts} qrId={qrId} logoUrl={logoUrl} isCard={false} />
          ))}
        </div>
      )}
    </WifiQr>
  )
}

/** Millimetres. The rest of A4 is the margin, the same on all sides. */
const card = { width: 99, height: 57 }
const margin = { left: (210 - columns * card.width) / 2, top: (297 - rows * card.height) / 2 }

/** A4: sheets of ten cards. The first cards of the first sheet stay empty if they were used before: `firstCard` counts from 1. */
export function Sheets({ firstCard = 1, ...job }: SheetProps & { firstCard?: number | undefined }) {
  const { guestInfo, logoUrl } = job.site
  const places = [...Array<undefined>(firstCard - 1).fill(undefined), ...allSlips(job)]
  const sheets = Array.from({ length: Math.ceil(places.length / cardsOfSheet) }, (_, index) =>
    places.slice(index * cardsOfSheet, (index + 1) * cardsOfSheet),
  )
  return (
    <WifiQr guestInfo={guestInfo}>
      {(qrId) =>
        sheets.map((sheet) => (
          <div className="vs-sheet" key={sheet.at(-1)?.id}>
            <CutLines places={sheet} />
            {sheet.map((slip, place) =>
              slip ? (
                <Slip key={slip.id} parts={slip.parts} qrId={qrId} logoUrl={logoUrl} isCard />
              ) : (
                <div key={place} />
              ),
            )}
          </div>
        ))
      }
    </WifiQr>
  )
}

/** Cut lines around the cards. They are an SVG, because browsers round the width of a border up to a pixel. */
function CutLines({ places }: { places: unknown[] }) {
  const isCard = (row: number, column: number) =>
    column >= 0 && column < columns && row >= 0 && places[row * columns + column] !== undefined
  return (
    <svg className="vs-cuts" viewBox="0 0 210 291.5" aria-hidden="true">
      {Array.from({ length: (rows + 1) * (columns + 1) }, (_, index) => {
        const row = Math.floor(index / (columns + 1))
        const column = index % (columns + 1)
        const [x, y] = [margin.left + column * card.width, margin.top + row * card.height]
        const isBeside = isCard(row, column - 1) || isCard(row, column)
        const isBelow = isCard(row - 1, column) || isCard(row, column)
        return (
          <Fragment key={index}>
            {isBelow && <line x1={x} x2={x + card.width} y1={y} y2={y} />}
            {isBeside && <line x1={x} x2={x} y1={y} y2={y + card.height} />}
          </Fragment>
        )
      })}
    </svg>
  )
}
