import type { GuestLanguage } from '#slips/guest-languages.ts'
import type { BatchCreation, GuestInfo } from '../../../../../client/voucher-api.generated.ts'
import { untilOf } from '../../../components/creation/desk-input.ts'
import { type Column, guessColumns, looksLikeTable } from './guest-columns.ts'
import { type GuestRow, readGuests } from './guest-rows.ts'
import type { Calendar } from './read-end.ts'
import { type PastedTable, readTable, type TableLine } from './read-table.ts'

export type GuestTable = PastedTable & {
  /** The line that names the columns; undefined if there is none. */
  header: TableLine | undefined
  columns: Column[]
  /** A column of addresses is ignored because the site cannot send e-mail. */
  hasIgnoredEmails: boolean
  rows: GuestRow[]
}

/** When stays end. */
const checkOut = '11:00'

/** `canEmail`: whether the site can send e-mail. Otherwise columns of addresses are ignored. */
export type TableContext = Omit<Calendar, 'checkOut'> & { canEmail: boolean }

/** Reads a pasted table of guests; null for a plain list. `chosen`: the columns if somebody changed them. */
export function readGuestTable(
  text: string,
  { canEmail, ...calendar }: TableContext,
  chosen?: Column[] | null,
): GuestTable | null {
  const table = readTable(text, looksLikeTable)
  if (!table) return null
  const guessed = guessColumns(table.lines)
  const understood = guessed.columns.map((column, index) => chosen?.[index] ?? column)
  const hasIgnoredEmails = !canEmail && understood.some(({ kind }) => kind === 'email')
  const columns = understood.map(
    (column): Column => (column.kind === 'email' && !canEmail ? { kind: 'ignore' } : column),
  )
  const [first, ...others] = table.lines
  const header = guessed.hasHeader ? first : undefined
  const rows = readGuests(header ? others : table.lines, columns, { ...calendar, checkOut })
  return { ...table, header, columns, hasIgnoredEmails, rows }
}

export function isWrong({ errors }: GuestRow): boolean {
  return errors.size > 0
}

/** The text of the wrong rows, with the header. They stay in the table when the others are created. */
export function textOfWrongRows(text: string, { header, rows }: GuestTable): string {
  const wrong = rows.filter(isWrong).map(({ line }) => line)
  if (wrong.length === 0) return ''
  return [...(header ? [header] : []), ...wrong].map(({ start, end }) => text.slice(start, end)).join('\n')
}

type Facts = Pick<GuestInfo, 'site_id' | 'time_zone' | 'room_days'>

/** The guests who get an e-mail. */
export function countEmails({ rows }: GuestTable): number {
  return rows.filter((row) => !isWrong(row) && row.email !== undefined).length
}

/** The rows of the request: guests without errors. `language`: that of the e-mails. */
export function toRows(
  { rows }: GuestTable,
  facts: Facts,
  language: GuestLanguage,
): NonNullable<BatchCreation['rows']> {
  return rows
    .filter((row) => !isWrong(row))
    .map(({ name, reference, until, minutes, devices, email }) => ({
      name,
      ...(reference !== undefined && { reference }),
      ...(devices !== undefined && { max_uses: devices }),
      ...(minutes !== undefined && { expire_minutes: minutes }),
      ...(until && untilOf(until.wall, facts)),
      ...(email !== undefined && { message: { email, language } }),
    }))
}
