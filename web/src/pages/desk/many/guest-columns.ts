import { readDuration, readEnd, type Unit, unitOf } from './read-end.ts'
import type { TableLine } from './read-table.ts'

export const columnKinds = ['name', 'room', 'until', 'duration', 'devices', 'email', 'reference', 'ignore'] as const
export type ColumnKind = (typeof columnKinds)[number]

/** `unit`: what a bare number in a column of durations counts, from the header. */
export type Column = { kind: ColumnKind; unit?: Unit }

export type Columns = { columns: Column[]; hasHeader: boolean }

/** Words of headers, in English and German. */
const words: [ColumnKind, RegExp][] = [
  ['email', /^(e-?mail|mail)([- ]?(address|adresse))?$/],
  [
    'name',
    /^(name|names|namen|gast|gäste|guest|guests|gastname|guest name|nachname|last name|surname|familie|teilnehmer)$/,
  ],
  ['room', /^(zimmer|zi|zimmer[- ]?nr|zimmernummer|room|room ?(no|number)|raum|stellplatz|pitch|platz)$/],
  ['until', /^(bis|until|valid until|gültig bis|abreise|departure|check-?out|ende|end|to)$/],
  ['duration', /^(dauer|duration|minutes|minuten|min|stunden|hours|tage|days|nächte|nights|wochen|weeks)$/],
  ['devices', /^(geräte|anzahl geräte|devices|device|gerät|number of devices)$/],
  ['reference', /^(referenz|reference|ref|buchung|buchungsnummer|booking|booking number|reservierung|reservation)$/],
]

/** The kinds of the columns, from the first line if it names them, otherwise from the cells. */
export function guessColumns(lines: TableLine[]): Columns {
  const width = Math.max(0, ...lines.map(({ cells }) => cells.length))
  const header = (lines[0]?.cells ?? []).map(kindOfWord)
  const hasHeader = header.some((kind) => kind !== undefined)
  const kinds = Array.from({ length: width }, (_, index) =>
    hasHeader ? (header[index] ?? 'ignore') : guessKind(lines.map(({ cells }) => cells[index] ?? '')),
  )
  const named = withName(kinds)
  const columns = onlyOnce(named).map((kind, index) => {
    const unit = kind === 'duration' && hasHeader ? unitOf(wordOf(lines[0]?.cells[index])) : undefined
    return unit ? { kind, unit } : { kind }
  })
  return { columns, hasHeader }
}

/** True if lines with commas are a table and not a list of names such as "Huber, Anna". */
export function looksLikeTable(lines: TableLine[]): boolean {
  const { columns, hasHeader } = guessColumns(lines)
  if (hasHeader) return columns.length > 1
  const isEven = lines.every(({ cells }) => cells.length === lines[0]?.cells.length)
  return isEven && columns.some(({ kind }) => kind !== 'name' && kind !== 'ignore')
}

/** The columns after somebody chose a kind. Another column of this kind is ignored from then on. */
export function chooseKind(columns: Column[], index: number, kind: ColumnKind): Column[] {
  return columns.map((column, at) => {
    if (at === index) return { ...column, kind }
    return sharesField(column.kind, kind) ? { ...column, kind: 'ignore' } : column
  })
}

/** A voucher has one reference, so a table has either rooms or references. */
function sharesField(one: ColumnKind, other: ColumnKind): boolean {
  const fieldOf = (kind: ColumnKind) => (kind === 'room' ? 'reference' : kind)
  return one !== 'ignore' && fieldOf(one) === fieldOf(other)
}

function onlyOnce(kinds: ColumnKind[]): ColumnKind[] {
  return kinds.map((kind, index) =>
    kinds.slice(0, index).some((earlier) => sharesField(earlier, kind)) ? 'ignore' : kind,
  )
}

function wordOf(cell = ''): string {
  return cell.toLowerCase().replace(/[.:]+$/, '')
}

function kindOfWord(cell: string): ColumnKind | undefined {
  return words.find(([, pattern]) => pattern.test(wordOf(cell)))?.[0]
}

/** Any time will do: a date in the past is still a date. */
const calendar = { now: new Date(0), timeZone: 'UTC', checkOut: '11:00' }

function guessKind(cells: string[]): ColumnKind | undefined {
  const filled = [...new Set(cells.filter((cell) => cell !== ''))].slice(0, 50)
  const mostly = (test: (cell: string) => boolean) => filled.filter(test).length * 2 > filled.length
  if (filled.length === 0) return undefined
  if (mostly((cell) => /^\S+@\S+$/.test(cell))) return 'email'
  if (mostly((cell) => /^\d$/.test(cell))) return 'devices'
  if (mostly((cell) => /^((zimmer|zi\.?|room|platz|pitch) ?)?\p{L}?\d{1,5}\p{L}?$/iu.test(cell))) return 'room'
  if (mostly((cell) => readDuration(cell) !== undefined)) return 'duration'
  return mostly(isDate) ? 'until' : undefined
}

function isDate(cell: string): boolean {
  const read = readEnd(cell, calendar)
  return !('error' in read) || !['unreadable', 'no-time'].includes(read.error.kind)
}

/** If no header says where the names are, they are in the first column without a kind. */
function withName(kinds: (ColumnKind | undefined)[]): ColumnKind[] {
  const first = kinds.indexOf(undefined)
  return kinds.map((kind, index) => (index === first ? 'name' : (kind ?? 'ignore')))
}
