import { stringify } from 'csv-stringify/sync'
import { Type } from 'typebox'
import { V2Error } from '../../errors/problems.ts'

export const separatorField = Type.Optional(
  Type.Unsafe<',' | ';'>({
    type: 'string',
    enum: [',', ';'],
    default: ',',
    description: 'A German Excel expects a semicolon.',
  }),
)

/**
 * A table as CSV (RFC 4180) that is safe to open in a spreadsheet. The byte order mark tells the spreadsheet that the text
 * is UTF-8. A line break inside a value is quoted, even if it is not the `\r\n` that ends a row.
 */
export function toCsv(rows: (string | number | null)[][], separator: ',' | ';', { bom = true } = {}): string {
  const cells = rows.map((row) => row.map((value) => (typeof value === 'string' ? withoutFormulas(value) : value)))
  return stringify(cells, { bom, delimiter: separator, record_delimiter: 'windows', quoted_match: /[\r\n]/ })
}

/** More rows are an error, because nobody would notice that rows are missing. */
const maxRows = 10_000
/** Converting more rows at once would block the process for too long. */
const rowsAtOnce = 500

/** A long list as CSV, read page by page. `last` is the last item of the page before. Throws if there are more than 10,000. */
export async function exportCsv<Item>(
  separator: ',' | ';',
  columns: string[],
  listPage: (last: Item | undefined, limit: number) => Promise<Item[]>,
  toRow: (item: Item) => (string | number | null)[],
): Promise<string> {
  const parts = [toCsv([columns], separator)]
  let last: Item | undefined
  for (let count = 0; ; ) {
    const page = await listPage(last, rowsAtOnce)
    count += page.length
    if (count > maxRows) throw new V2Error('export_too_large')
    if (page.length > 0) parts.push(toCsv(page.map(toRow), separator, { bom: false }))
    if (page.length < rowsAtOnce) return parts.join('')
    last = page.at(-1)
  }
}

/**
 * The beginning of a formula. A spreadsheet that expects the other separator ignores our quotes and starts a cell after
 * each `,` or `;`, and a row after each line break. Two quotes at the start of such a cell are an empty text before the
 * rest. The option `escape_formulas` of csv-stringify checks only the first character of a value.
 */
const formula = /(^|[,;\r\n])(?=[\s\p{Cf}"]*[=+\-@|\t\r\uff1d\uff0b\uff0d\uff20])/gu

/** Puts an apostrophe before every formula, so that a spreadsheet shows it as text. */
function withoutFormulas(text: string): string {
  return text.replace(formula, "$1'")
}
