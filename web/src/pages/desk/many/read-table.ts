/** A line of a pasted table. `start` and `end` are its place in the text. */
export type TableLine = { number: number; start: number; end: number; cells: string[] }

export type PastedTable = { separator: string; lines: TableLine[] }

/** Tabs come from spreadsheets, semicolons from German CSV files. */
const separators = ['\t', ';', ','] as const

/**
 * The cells of a pasted text with several columns; null for a plain list. At least two lines must have the separator. A comma
 * is also part of many names ("Huber, Anna"), so `isTable` decides whether commas separate cells.
 */
export function readTable(text: string, isTable: (lines: TableLine[]) => boolean): PastedTable | null {
  for (const separator of separators) {
    if (text.indexOf(separator) === text.lastIndexOf(separator)) continue
    const lines = readLines(text, separator)
    const hasColumns = lines.filter(({ cells }) => cells.length > 1).length >= 2
    if (hasColumns && (separator !== ',' || isTable(lines))) return { separator, lines }
  }
  return null
}

/** The text with other cells in this line. */
export function replaceLine(text: string, { start, end }: TableLine, cells: string[], separator: string): string {
  return text.slice(0, start) + writeLine(cells, separator) + text.slice(end)
}

/** A line of text with these cells. Cells with separators, quotes or line breaks are quoted. */
export function writeLine(cells: string[], separator: string): string {
  const isSpecial = (cell: string) => cell.includes(separator) || /["\r\n]/.test(cell)
  return cells.map((cell) => (isSpecial(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator)
}

/** Reads lines with quoted cells, as in RFC 4180. Lines without text are left out, but they count. */
function readLines(text: string, separator: string): TableLine[] {
  const lines: TableLine[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  for (let number = 1; at < text.length; ) {
    const start = at
    const cells: string[] = []
    for (let isOpen = true; isOpen; ) {
      const cell = readCell(text, at, separator)
      cells.push(clean(cell.text))
      isOpen = text[cell.end] === separator
      at = isOpen ? cell.end + 1 : cell.end
    }
    if (cells.some((cell) => cell !== '')) lines.push({ number, start, end: at, cells })
    number += countBreaks(text.slice(start, at)) + 1
    at += text.startsWith('\r\n', at) ? 2 : 1
  }
  return lines
}

function readCell(text: string, start: number, separator: string): { text: string; end: number } {
  const quoted = text[start] === '"' ? readQuoted(text, start, separator) : undefined
  if (quoted) return quoted
  let end = start
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { text: text.slice(start, end), end }
}

/** The longest quoted cell. A quote that is never closed, such as an inch sign, must not swallow the rest of the table. */
const longestCell = 1_000

/** Undefined if the quote does not enclose a cell: then it is an ordinary character. */
function readQuoted(text: string, start: number, separator: string): { text: string; end: number } | undefined {
  const last = Math.min(text.length, start + longestCell)
  for (let at = start + 1; at < last; at += 1) {
    if (text[at] !== '"') continue
    if (text[at + 1] === '"') at += 1
    else if (at + 1 === text.length || [separator, '\n', '\r'].includes(text[at + 1] as string))
      return { text: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 }
    else return undefined
  }
  return undefined
}

function countBreaks(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0
}

/** Control characters become spaces. Characters that change the direction of text are removed, because the service rejects them. */
function clean(cell: string): string {
  return cell
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .trim()
}
