import type { ErrorDetails } from '#domain/errors.ts'
import type { InvalidField } from './field-errors.ts'

/** An error of the catalogue. Placeholders such as `{name}` in its texts are filled with the details of the error. */
export type ErrorEntry = Answer | InvalidFieldEntry | CommandEntry

/** An error with its own German and English text. */
type Answer = {
  status: number
  /** The name in API v2, if it is not the code. */
  error?: string
  headers?: Record<string, string>
  /** The field that the error is about. Every 400 has one. */
  field?: FieldOfError
  de: string
  en: string
  /** The text for the command line, if it is not the English text. */
  terminal?: TerminalText
}

/** An invalid field. API v2 answers 400 `invalid_request` with the sentence of the field's code. */
type InvalidFieldEntry = { field: FieldOfError; headers?: Record<string, string>; terminal?: TerminalText }

/** An error that is never the answer to a request: only commands cause it, or it belongs to one row of an import. */
type CommandEntry = { terminal: TerminalText }

type FieldOfError = InvalidField | ((details: ErrorDetails) => InvalidField)

type TerminalText = string | ((details: ErrorDetails) => string)

/** The answer for things that do not exist, and for those that the caller may not see. */
export const notFound = { status: 404, error: 'not_found', de: 'Nicht gefunden', en: 'Not found' }
