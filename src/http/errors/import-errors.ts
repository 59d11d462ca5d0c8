import type { ErrorDetails, ImportErrorCode } from '#domain/errors.ts'
import { shellWord } from '#lib/shell-word.ts'
import { visibleText } from '#lib/visible-text.ts'
import type { ErrorEntry } from './error-entry.ts'
import type { InvalidField } from './field-errors.ts'

const badFile: InvalidField = { field: 'body', code: 'bad_format' }

/** Errors of importing sites from a CSV file. */
export const importErrors: Record<ImportErrorCode, ErrorEntry> = {
  imports_too_many: {
    status: 429,
    de: 'In der letzten Minute gab es zu viele Importe. Versuchen Sie es in {seconds} s erneut.',
    en: 'There were too many imports in the last minute. Try again in {seconds} s.',
  },
  import_refused: {
    status: 409,
    de: 'Zeilen, die nicht hinzugefügt werden können: {count}. Es wurde keine Zeile hinzugefügt. Korrigieren Sie die Datei und importieren Sie sie noch einmal.',
    en: 'Rows that cannot be added: {count}. No row was added. Correct the file and import it again.',
  },
  csv_too_long: {
    status: 400,
    field: badFile,
    de: 'Die Datei hat mehr als {max} Zeilen. Teilen Sie sie auf.',
    en: 'The file has more than {max} rows. Split it into smaller files.',
  },
  csv_too_large: {
    status: 413,
    error: 'payload_too_large',
    de: 'Die Datei ist größer als {maxKiB} KiB. Teilen Sie sie auf.',
    en: 'The file is larger than {maxKiB} KiB. Split it into smaller files.',
  },
  csv_not_utf8: {
    status: 400,
    field: badFile,
    de: 'Die Datei ist nicht in UTF-8. Speichern Sie sie als „CSV UTF-8“.',
    en: 'The file is not UTF-8. Save it as CSV UTF-8.',
  },
  csv_unreadable: {
    status: 400,
    field: badFile,
    de: 'Die Datei ist nach Zeile {line} kein gültiges CSV: Dort fehlt ein Anführungszeichen, oder es steht falsch.',
    en: 'The file is not valid CSV after line {line}: a quote is missing or misplaced.',
    terminal: 'The file is not valid CSV after line {line}: a quote is missing or misplaced. Correct it there.',
  },
  csv_columns_missing: {
    status: 400,
    field: badFile,
    de: 'In der ersten Zeile fehlt die Spalte {columns}. Nötig sind die Spalten {required}. Erlaubt sind auch {optional}.',
    en: 'The first line has no column {columns}. It must have the columns {required} and may have {optional}.',
    terminal: (details) => `The first line has no column ${columnsHint(details)}`,
  },
  csv_columns_unknown: {
    status: 400,
    field: badFile,
    de: 'In der ersten Zeile steht die unbekannte Spalte {columns}. Nötig sind die Spalten {required}. Erlaubt sind auch {optional}.',
    en: 'The first line has an unknown column {columns}. It must have the columns {required} and may have {optional}.',
    terminal: (details) => `The first line has an unknown column ${columnsHint(details)}`,
  },
  csv_columns_repeated: {
    status: 400,
    field: badFile,
    de: 'Die Spalte {columns} steht mehrmals in der ersten Zeile. Lassen Sie nur eine davon stehen.',
    en: 'The first line has the column {columns} more than once. Keep only one of them.',
    terminal: (details) => `The first line repeats column ${columnsHint(details)}`,
  },
  row_repeated: {
    terminal: '"{controllerSite}" on {controller} is also in line {line} of this file. Remove one of the two rows.',
  },
  row_length_wrong: { terminal: 'The row has {fields} fields, but the first line has {columns}. Correct the row.' },
  column_not_yes_or_no: { terminal: 'The column {column} must be yes or no, not "{value}".' },
  column_empty: { terminal: 'The column {column} is empty. Every row needs a value there.' },
  column_invalid: { terminal: 'The column {column} is not valid. Use one line of 1 to {max} visible characters.' },
  column_not_fingerprint: {
    terminal:
      'The column {column} is not a SHA-256 fingerprint of 32 bytes, such as AB:CD:…. Show it with `voucher-service controllers fingerprint`.',
  },
  controller_column_empty: {
    terminal:
      'The controller "{controller}" is not recorded yet, so the file must describe it. Fill in the column {column}.',
  },
  controller_recorded_differently: {
    terminal: ({ controller, column, recorded }) =>
      `The controller "${controller}" is recorded with another ${column}: ${recorded}. Write that value, leave the column empty, or change the controller with \`voucher-service controllers set ${shellWord(String(controller))}\`.`,
  },
  controller_row_differs: {
    terminal:
      'Line {line} describes the controller "{controller}" with another {column}. Write the same value in both lines, or leave the column empty in one of them.',
  },
  controller_row_refused: {
    terminal: 'Line {line} describes the controller "{controller}" and has an error. Correct that line.',
  },
  site_recorded_under_other_name: {
    terminal:
      '"{controllerSite}" on {controller} is already recorded as site {id}, "{name}". Use that name, or remove the row.',
  },
}

/** Names the wrong columns of a file, made safe for the terminal, and the columns that are allowed. */
function columnsHint({ columns, required, optional }: ErrorDetails): string {
  return `${visibleText(String(columns), 600)}. It must have the columns ${required} and may have ${optional}.`
}
