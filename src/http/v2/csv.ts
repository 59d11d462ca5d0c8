/** With it a spreadsheet knows that the text is UTF-8. */
const byteOrderMark = '\ufeff'

/** A table as RFC 4180 has it, that spreadsheets open without running any of it. */
export function csvOf(rows: (string | number | null)[][], separator: ',' | ';'): string {
  return byteOrderMark + rows.map((row) => `${row.map((value) => cell(value, separator)).join(separator)}\r\n`).join('')
}

/** A spreadsheet set to another separator, which knows nothing of our quotes, begins a cell after each of these as well. */
const formula = /(^|[,;])(?=[\s\p{Cf}]*[=+\-@|\t\r\uff1d\uff0b\uff0d\uff20])/gu

/** A text that a spreadsheet would take for a formula gets an apostrophe in front: it is shown as text then. */
function cell(value: string | number | null, separator: string): string {
  const text = String(value ?? '')
  const inert = typeof value === 'string' ? text.replace(formula, "$1'") : text
  return /["\r\n]/.test(inert) || inert.includes(separator) ? `"${inert.replaceAll('"', '""')}"` : inert
}
