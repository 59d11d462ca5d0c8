import { CsvError, parse } from 'csv-parse/sync'
import { DomainError } from '../errors.ts'
import type { GuestInfoChange } from './guest-info.ts'
import { type RowOutcome, refuseRow, type SiteRow } from './import-sites.ts'
import { type ControllerCells, controllerColumns, joinControllerCells } from './row-controllers.ts'

type CsvRow = { line: number; fields: string[] }

const required = ['name', 'controller', 'controller_site']
const siteColumns = ['active', 'adopt']
/** The columns of a file that also describes controllers and what is printed on slips. Secrets are in files of their own. */
export const allColumns = [
  ...siteColumns,
  ...controllerColumns,
  'wifi_name',
  'wifi_password_file',
  'wifi_hidden',
  'time_zone',
  'guest_languages',
  'room_days',
]
const yes = ['true', 'yes', '1', 'ja']
const no = ['false', 'no', '0', 'nein']
/** How many wrong columns a message names, and how many characters of each: the message stays short whatever the file is. */
const namedColumns = { count: 5, characters: 50 }

/** Reads the sites of a CSV file. Each row that cannot be read is rejected on its own. */
export function parseSiteRows(
  text: string,
  maxRows: number,
  optional = siteColumns,
): { rows: SiteRow[]; refused: RowOutcome[] } {
  const { header, rows: all } = parseCsv(text, maxRows)
  const columns = header.map((column) => column.toLowerCase())
  checkColumns(columns, optional)
  const rows: SiteRow[] = []
  const refused: RowOutcome[] = []
  for (const row of all) {
    const site = toSite(columns, row)
    if ('outcome' in site) refused.push(site)
    else rows.push(site)
  }
  const { joined, contradicting } = joinControllerCells(rows)
  return { rows: joined, refused: [...refused, ...contradicting.map(({ row, problem }) => refuseRow(row, problem))] }
}

/**
 * Splits the file into its header and rows. The header determines whether commas, semicolons or tabs separate the columns. Empty
 * rows are left out. The line number of a row is the number of its last line.
 */
function parseCsv(text: string, maxRows: number): { header: string[]; rows: CsvRow[] } {
  const lines = text.replace(/\r\n?/g, '\n') // otherwise a CRLF within quotes counts as two lines
  const [headerLine = ''] = lines.trimStart().split('\n', 1)
  const counted = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: headerLine.split(delimiter).length }))
  const { delimiter } = counted.reduce((best, other) => (other.count > best.count ? other : best))
  const atMost = 2 * maxRows + 2
  const {
    count,
    rows: [header, ...rows],
  } = readRecords(lines, { delimiter, to: atMost })
  if (rows.length > maxRows || count === atMost) throw new DomainError('csv_too_long', { details: { max: maxRows } })
  return { header: header?.fields ?? [], rows }
}

/**
 * `count` includes rows that contain only separators. A spreadsheet may write many of them. `to` limits the rows,
 * because the parser makes an error for each row whose length differs from the header. A megabyte of short rows took
 * over a minute.
 */
function readRecords(text: string, options: { delimiter: string; to: number }): { count: number; rows: CsvRow[] } {
  const rows: CsvRow[] = []
  let count = 0
  const keep = (record: string[], { lines }: { lines: number }) => {
    count++
    const fields = record.map((field) => field.trim())
    if (fields.some((field) => field !== '')) rows.push({ line: lines, fields })
    return null
  }
  try {
    parse(text, {
      ...options,
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      trim: options.delimiter !== '\t', // otherwise an empty cell between two tabs is lost
      on_record: keep,
    })
    return { count, rows }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new DomainError('csv_unreadable', { details: { line: rows.at(-1)?.line ?? 0 } })
  }
}

function checkColumns(columns: string[], optional: string[]): void {
  const known = [...required, ...optional]
  const problems = {
    csv_columns_missing: required.filter((column) => !columns.includes(column)),
    csv_columns_unknown: columns.filter((column) => !known.includes(column)),
    csv_columns_repeated: known.filter((column) => columns.indexOf(column) < columns.lastIndexOf(column)),
  }
  for (const code of Object.keys(problems) as (keyof typeof problems)[]) {
    const names = problems[code]
    if (names.length === 0) continue
    const first = names.slice(0, namedColumns.count).map((name) => `"${name.slice(0, namedColumns.characters)}"`)
    const columns = [...first, ...(names.length > namedColumns.count ? ['…'] : [])].join(', ')
    throw new DomainError(code, { details: { columns, required: required.join(','), optional: optional.join(',') } })
  }
}

function toSite(columns: string[], { line, fields }: CsvRow): SiteRow | RowOutcome {
  const field = (column: string) => fields[columns.indexOf(column)] ?? ''
  const name = field('name')
  if (fields.length !== columns.length) {
    const details = { fields: fields.length, columns: columns.length }
    return { line, name, outcome: 'refused', problem: new DomainError('row_length_wrong', { details }) }
  }
  const wrong = ['active', 'adopt', 'wifi_hidden'].find(
    (column) => field(column) !== '' && flag(field(column)) === undefined,
  )
  if (wrong !== undefined) {
    const details = { column: wrong, value: field(wrong) }
    return { line, name, outcome: 'refused', problem: new DomainError('column_not_yes_or_no', { details }) }
  }
  const cells = controllerColumns.flatMap((column) => (field(column) ? [[column, { text: field(column), line }]] : []))
  return {
    line,
    name,
    controller: field('controller'),
    controllerSite: field('controller_site'),
    active: flag(field('active')) ?? true,
    adoptsVouchers: flag(field('adopt')) ?? false,
    controllerCells: cells.length > 0 ? (Object.fromEntries(cells) as ControllerCells) : undefined,
    guestInfo: toGuestInfo(field),
    wifiPasswordFile: field('wifi_password_file') || undefined,
  }
}

/** Undefined when no cell says anything. Several languages are separated by blanks or by any sign. */
function toGuestInfo(field: (column: string) => string): GuestInfoChange | undefined {
  const languages = field('guest_languages')
    .toLowerCase()
    .match(/\p{L}+/gu)
  const given = {
    wifiName: field('wifi_name') || undefined,
    wifiHidden: flag(field('wifi_hidden')),
    timeZone: field('time_zone') || undefined,
    guestLanguages: languages ?? undefined,
    roomDays: field('room_days') === '' ? undefined : Number(field('room_days')),
  }
  return Object.values(given).some((value) => value !== undefined) ? given : undefined
}

/** Undefined for an empty cell and for any other word. */
function flag(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return yes.includes(word) || (no.includes(word) ? false : undefined)
}
