import { Slip, type SlipSite } from './slip.tsx'
import type { SlipVoucher } from './slip-facts.ts'
import type { GuestLanguage } from './slip-texts.ts'

export type Paper = 'a4' | '80mm'

type SheetProps = { vouchers: SlipVoucher[]; site: SlipSite; languages: GuestLanguage[] }

/** 80 mm paper: a page for each slip, so that the printer cuts after it. */
export function Roll({ vouchers, ...slip }: SheetProps) {
  return (
    <div className="vs-roll">
      {vouchers.map((voucher) => (
        <Slip key={voucher.id} voucher={voucher} {...slip} />
      ))}
    </div>
  )
}

const columns = 2
const rows = 5
/** Millimetres. The rest of A4 is the margin, the same on all sides. */
const card = { width: 99, height: 57 }
const margin = { left: (210 - columns * card.width) / 2, top: (297 - rows * card.height) / 2 }

/** A4: sheets of ten cards. */
export function Sheets({ vouchers, ...slip }: SheetProps) {
  const sheets = Array.from({ length: Math.ceil(vouchers.length / (columns * rows)) }, (_, index) =>
    vouchers.slice(index * columns * rows, (index + 1) * columns * rows),
  )
  return sheets.map((sheet) => (
    <div className="vs-sheet" key={sheet[0]?.id}>
      <CutLines count={sheet.length} />
      {sheet.map((voucher) => (
        <Slip key={voucher.id} voucher={voucher} {...slip} />
      ))}
    </div>
  ))
}

/** Cut lines around the cards. They are an SVG, because browsers round the width of a border up to a pixel. */
function CutLines({ count }: { count: number }) {
  const usedRows = Math.ceil(count / columns)
  const usedColumns = Math.min(count, columns)
  return (
    <svg className="vs-cuts" viewBox="0 0 210 291.5" aria-hidden="true">
      {Array.from({ length: usedRows + 1 }, (_, row) => {
        const cardsAbove = Math.min(count - Math.max(row - 1, 0) * columns, columns)
        return <line key={`h${row}`} x1={xOf(0)} x2={xOf(cardsAbove)} y1={yOf(row)} y2={yOf(row)} />
      })}
      {Array.from({ length: usedColumns + 1 }, (_, column) => {
        const cardsBeside = Math.ceil((count - Math.max(column - 1, 0)) / columns)
        return <line key={`v${column}`} x1={xOf(column)} x2={xOf(column)} y1={yOf(0)} y2={yOf(cardsBeside)} />
      })}
    </svg>
  )
}

const xOf = (column: number) => margin.left + column * card.width
const yOf = (row: number) => margin.top + row * card.height
