import { longestName } from '../../../components/creation/desk-input.ts'
import { toInstant, type WallTime } from '../../../components/voucher/zoned-time.ts'
import type { Column, ColumnKind } from './guest-columns.ts'
import { type EmailError, readEmail } from './read-email.ts'
import { type Calendar, type EndError, readDuration, readEnd } from './read-end.ts'
import type { TableLine } from './read-table.ts'

export type CellError =
  | EndError
  | EmailError
  | { kind: 'name-missing' | 'name-too-long' | 'name-invisible' | 'reference-too-long' | 'duration' | 'devices' }

/** A line of the table as one guest. A field is undefined if its cell is empty. */
export type GuestRow = {
  line: TableLine
  name: string
  reference?: string
  until?: { wall: WallTime; at: Date }
  minutes?: number
  devices?: number
  email?: string
  /** By the number of the column. */
  errors: Map<number, CellError>
}

const longestReference = 255
const mostMinutes = 1_000_000
const mostDevices = 10_000
/** The service sends no more messages a day to one address. */
const mostPerAddress = 10

/** Reads the guests of a table and finds what the service would reject. */
export function readGuests(lines: TableLine[], columns: Column[], calendar: Calendar): GuestRow[] {
  const readUntil = remember((text) => readInstant(text, calendar))
  const isOften = countAddresses()
  const nameColumn = columns.findIndex(({ kind }) => kind === 'name')
  return lines.map((line) => {
    const row: GuestRow = { line, name: '', errors: new Map() }
    for (const [index, column] of columns.entries()) {
      const error = readCell(row, column, line.cells[index] ?? '', readUntil)
      if (error) row.errors.set(index, error)
      else if (column.kind === 'email' && row.email !== undefined && isOften(row.email))
        row.errors.set(index, { kind: 'email-often' })
    }
    if (nameColumn === -1) row.errors.set(0, { kind: 'name-missing' })
    return row
  })
}

type UntilReader = (text: string) => { wall: WallTime; at: Date } | { error: EndError }

/** Sets the field of the row, or returns why the text does not fit. */
function readCell(row: GuestRow, { kind, unit }: Column, text: string, readUntil: UntilReader): CellError | undefined {
  if (kind === 'name') {
    row.name = text
    return errorOfName(text)
  }
  if (text === '' || text === '–' || text === '-') return undefined
  const reader: Partial<Record<ColumnKind, () => CellError | undefined>> = {
    room: () => setReference(row, text),
    reference: () => setReference(row, text),
    until: () => {
      const read = readUntil(text)
      if ('error' in read) return read.error
      row.until = read
    },
    duration: () => {
      const minutes = readDuration(text, unit)
      if (minutes === undefined || minutes < 1 || minutes > mostMinutes) return { kind: 'duration' }
      row.minutes = minutes
    },
    devices: () => {
      const devices = readDevices(text)
      if (devices === undefined) return { kind: 'devices' }
      row.devices = devices
    },
    email: () => {
      const email = readEmail(text)
      if (typeof email !== 'string') return email.error
      row.email = email
    },
  }
  return reader[kind]?.()
}

/** Returns a function that says whether an address is in too many rows. */
function countAddresses(): (email: string) => boolean {
  const counts = new Map<string, number>()
  return (email) => {
    const key = email.toLowerCase()
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count > mostPerAddress
  }
}

function errorOfName(name: string): CellError | undefined {
  if (name === '') return { kind: 'name-missing' }
  if (/^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(name)) return { kind: 'name-invisible' }
  return [...name].length > longestName ? { kind: 'name-too-long' } : undefined
}

function setReference(row: GuestRow, text: string): CellError | undefined {
  if ([...text].length > longestReference) return { kind: 'reference-too-long' }
  row.reference = text
}

function readDevices(text: string): number | undefined {
  if (/^(any|any number|beliebig|beliebig viele|unbegrenzt|unlimited|∞)$/i.test(text)) return 0
  const [, digits] = /^(\d{1,5})(?: ?(?:geräte?|devices?))?$/i.exec(text) ?? []
  return digits !== undefined && Number(digits) <= mostDevices ? Number(digits) : undefined
}

function readInstant(text: string, calendar: Calendar): ReturnType<UntilReader> {
  const read = readEnd(text, calendar)
  return 'error' in read ? read : { wall: read.until, at: toInstant(read.until, calendar.timeZone) }
}

/** Most guests of a list leave on the same few days, and computing with time zones is slow. */
export function remember<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>()
  return (text) => {
    const value = known.get(text) ?? read(text)
    known.set(text, value)
    return value
  }
}

/** Pairs of lines with the same name and reference: each later one with the first. Capitals make no difference. */
export function findDoubles(rows: GuestRow[]): { first: number; again: number }[] {
  const seen = new Map<string, number>()
  return rows.flatMap(({ name, reference = '', line }) => {
    if (name === '') return []
    const key = JSON.stringify([name, reference].map((text) => text.toLowerCase().replace(/\s+/g, ' ')))
    const first = seen.get(key)
    if (first === undefined) seen.set(key, line.number)
    return first === undefined ? [] : [{ first, again: line.number }]
  })
}
