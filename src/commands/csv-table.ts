import { CsvError, parse } from 'csv-parse/sync'
import { CommandRefused } from '#domain/errors.ts'

export type CsvRow = { line: number; fields: string[] }

/**
 * The header and the rows below it; commas or semicolons, as the header has them. Rows without any content are left out.
 * The line of a row is where it ends.
 */
export function parseCsv(text: string, maxRows: number): { header: string[]; rows: CsvRow[] } {
  const lines = text.replace(/\r\n?/g, '\n') // else a CRLF within quotes counts as two lines
  const [headerLine = ''] = lines.trimStart().split('\n', 1)
  const delimiter = headerLine.split(';').length > headerLine.split(',').length ? ';' : ','
  const [header, ...rows] = records(lines, { delimiter, to: maxRows + 2 })
  if (rows.length > maxRows) throw new CommandRefused(`The file has more than ${maxRows} rows.`)
  return { header: header?.fields ?? [], rows }
}

function records(text: string, options: { delimiter: string; to: number }): CsvRow[] {
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
      `The file is no CSV below line ${rows.at(-1)?.line ?? 0}: a quote is missing or misplaced.`,
    )
  }
}
