import { CsvError, parse } from 'csv-parse/sync'
import type { RowOutcome, SiteRow } from '#domain/sites/import-sites.ts'
import { visibleText } from './terminal/output.ts'
import { CommandRefused } from './terminal/refusals.ts'

/** A row of the file and its outcome in words. */
export type ReportedRow = Pick<RowOutcome, 'line' | 'name' | 'outcome'> & { reason: string | null }

type CsvRow = { line: number; fields: string[] }

const required = ['name', 'controller', 'controller_site']
const optional = ['active', 'adopt']
const yes = ['true', 'yes', '1', 'ja']
const no = ['false', 'no', '0', 'nein']

/** Reads the sites of a CSV file. Rows that cannot be read are refused one by one. */
export function parseSiteRows(text: string, maxRows: number): { rows: SiteRow[]; refused: ReportedRow[] } {
  const { header, rows: all } = parseCsv(text, maxRows)
  const columns = header.map((column) => column.toLowerCase())
  checkColumns(columns)
  const rows: SiteRow[] = []
  const refused: ReportedRow[] = []
  for (const row of all) {
    const site = toSite(columns, row)
    if ('outcome' in site) refused.push(site)
    else rows.push(site)
  }
  return { rows, refused }
}

/**
 * Splits the file into its header and rows. The header determines whether commas or semicolons separate the columns. Empty rows are
 * left out. The line number of a row is the number of its last line.
 */
function parseCsv(text: string, maxRows: number): { header: string[]; rows: CsvRow[] } {
  const lines = text.replace(/\r\n?/g, '\n') // otherwise a CRLF within quotes counts as two lines
  const [headerLine = ''] = lines.trimStart().split('\n', 1)
  const delimiter = headerLine.split(';').length > headerLine.split(',').length ? ';' : ','
  const [header, ...rows] = readRecords(lines, { delimiter, to: maxRows + 2 })
  if (rows.length > maxRows)
    throw new CommandRefused(`The file has more than ${maxRows} rows. Split it into smaller files.`)
  return { header: header?.fields ?? [], rows }
}

function readRecords(text: string, options: { delimiter: string; to: number }): CsvRow[] {
  const rows: CsvRow[] = []
  const keep = (record: string[], { lines }: { lines: number }) => {
    rows.push({ line: lines, fields: record.map((field) => field.trim()) })
    return null
  }
  try {
    parse(text, {
      ...options,
      record_delimiter: '\n',
      relax_column_count: true,
      skip_records_with_empty_values: true,
      trim: true,
      on_record: keep,
    })
    return rows
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new CommandRefused(
      `The file is not valid CSV after line ${rows.at(-1)?.line ?? 0}: a quote is missing or misplaced. Correct it there.`,
    )
  }
}

function checkColumns(columns: string[]): void {
  const missing = required.filter((column) => !columns.includes(column))
  const unknown = columns.filter((column) => ![...required, ...optional].includes(column))
  const twice = columns.filter((column, i) => columns.indexOf(column) < i)
  for (const [what, names] of Object.entries({ 'has no': missing, 'has an unknown': unknown, repeats: twice })) {
    if (names.length === 0) continue
    const named = names.map((name) => `"${visibleText(name)}"`).join(', ')
    throw new CommandRefused(
      `The first line ${what} column ${named}. Its columns are ${required.join(',')} and optionally ${optional.join(',')}.`,
    )
  }
}

function toSite(columns: string[], { line, fields }: CsvRow): SiteRow | ReportedRow {
  const field = (column: string) => fields[columns.indexOf(column)] ?? ''
  const name = field('name')
  if (fields.length !== columns.length) {
    return refuseRow({ line, name }, `The row has ${fields.length} fields, but the first line has ${columns.length}.`)
  }
  const [active, adoptsVouchers] = [flag(field('active'), true), flag(field('adopt'), false)]
  if (active === undefined)
    return refuseRow({ line, name }, `The column active must be yes or no, not "${field('active')}".`)
  if (adoptsVouchers === undefined)
    return refuseRow({ line, name }, `The column adopt must be yes or no, not "${field('adopt')}".`)
  return {
    line,
    name,
    controller: field('controller'),
    controllerSite: field('controller_site'),
    active,
    adoptsVouchers,
  }
}

function refuseRow({ line, name }: { line: number; name: string }, reason: string): ReportedRow {
  return { line, name, outcome: 'refused', reason }
}

function flag(text: string, otherwise: boolean): boolean | undefined {
  const word = text.toLowerCase()
  if (word === '') return otherwise
  return yes.includes(word) || (no.includes(word) ? false : undefined)
}
