import { Type } from 'typebox'

export type Separator = ',' | ';'

const separators = { type: 'string', enum: [',', ';'] }

export const separatorField = Type.Optional(
  Type.Unsafe<Separator>({ ...separators, default: ',', description: 'A German Excel expects a semicolon.' }),
)

/** For a file that may be a table for people. Its language decides about the separator. */
export const languageSeparatorField = Type.Optional(
  Type.Unsafe<Separator>({
    ...separators,
    description:
      'Without it: a semicolon for a table for people in German, as Excel expects it there, otherwise a comma.',
  }),
)

/**
 * A table as CSV (RFC 4180) that is safe to open in a spreadsheet. The byte order mark tells the spreadsheet that the text
 * is UTF-8. A line break inside a value is quoted, even if it is not the `\r\n` that ends a row.
 */
export function toCsv(rows: (string | number | null)[][], separator: Separator, { bom = true } = {}): string {
  const lines = rows.map((row) => `${row.map((value) => toField(value, separator)).join(separator)}\r\n`)
  return (bom ? '\ufeff' : '') + lines.join('')
}

function toField(value: string | number | null, separator: Separator): string {
  const text = typeof value === 'string' ? withoutFormulas(value) : String(value ?? '')
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * The beginning of a formula. A spreadsheet that expects the other separator ignores our quotes and starts a cell after
 * each `,` or `;`, and a row after each line break. Two quotes at the start of such a cell are an empty text before the
 * rest.
 */
const formula = /(^|[,;\r\n])(?=[\s\p{Cf}"]*[=+\-@|\t\r\uff1d\uff0b\uff0d\uff20])/gu

/** Puts an apostrophe before every formula, so that a spreadsheet shows it as text. */
function withoutFormulas(text: string): string {
  return text.replace(formula, "$1'")
}
