import { toApiError } from './api.ts'

type Options = {
  /** The names of the fields in the form. */
  known: readonly string[]
  /** The fields for names and error codes of the API that the form calls otherwise. */
  fields?: Record<string, string>
  /** Texts for error codes that are better than those of the API. */
  texts?: Record<string, string>
}

/** The messages of a failure that belong to fields of the form. Empty if the failure is about something else. */
export function fieldErrors(failure: unknown, { known, fields = {}, texts = {} }: Options): Record<string, string> {
  const { error: code, message, errors } = toApiError(failure)
  const named = errors.map(({ field, message }) => [fields[field] ?? field, message] as const)
  const coded = fields[code] === undefined ? [] : [[fields[code], texts[code] ?? message] as const]
  return Object.fromEntries([...named, ...coded].filter(([field]) => known.includes(field)))
}
