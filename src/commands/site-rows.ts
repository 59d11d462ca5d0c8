import { CommandRefused } from '#domain/errors.ts'
import { type RowOutcome, refuseRow, type SiteRow } from '#domain/sites/site-row.ts'
import { type CsvRow, parseCsv } from './csv-table.ts'
import { visibleText } from './visible-text.ts'

const required = ['name', 'controller', 'controller_site']
const optional = ['active', 'adopt']
const yes = ['true', 'yes', '1', 'ja']
const no = ['false', 'no', '0', 'nein']

/** The sites that a CSV file asks for, and its rows that say nothing clear. */
export function parseSiteRows(text: string, maxRows: number): { rows: SiteRow[]; refused: RowOutcome[] } {
  const { header, rows: all } = parseCsv(text, maxRows)
  const columns = header.map((column) => column.toLowerCase())
  checkColumns(columns)
  const rows: SiteRow[] = []
  const refused: RowOutcome[] = []
  for (const row of all) {
    const site = toSite(columns, row)
    if ('outcome' in site) refused.push(site)
    else rows.push(site)
  }
  return { rows, refused }
}

function checkColumns(columns: string[]): void {
  const missing = required.filter((column) => !columns.includes(column))
  const unknown = columns.filter((column) => ![...required, ...optional].includes(column))
  const twice = columns.filter((column, i) => columns.indexOf(column) < i)
  for (const [what, names] of Object.entries({ 'has no': missing, 'has an unknown': unknown, repeats: twice })) {
    if (names.length === 0) continue
    const named = names.map((name) => `"${visibleText(name)}"`).join(', ')
    throw new CommandRefused(
      `The first line ${what} column ${named}. It names the columns: ${required.join(',')} and, if wanted, ${optional.join(',')}.`,
    )
  }
}

function toSite(columns: string[], { line, fields }: CsvRow): SiteRow | RowOutcome {
  const field = (column: string) => fields[columns.indexOf(column)] ?? ''
  const name = field('name')
  if (fields.length !== columns.length) {
    return refuseRow({ line, name }, `It has ${fields.length} fields, the first line has ${columns.length}.`)
  }
  const [active, adoptsVouchers] = [flag(field('active'), true), flag(field('adopt'), false)]
  if (active === undefined) return refuseRow({ line, name }, `active is yes or no, not "${field('active')}".`)
  if (adoptsVouchers === undefined) return refuseRow({ line, name }, `adopt is yes or no, not "${field('adopt')}".`)
  return {
    line,
    name,
    controller: field('controller'),
    controllerSite: field('controller_site'),
    active,
    adoptsVouchers,
  }
}

function flag(text: string, otherwise: boolean): boolean | undefined {
  const word = text.toLowerCase()
  if (word === '') return otherwise
  return yes.includes(word) || (no.includes(word) ? false : undefined)
}
