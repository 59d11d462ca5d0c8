import type { ErrorDetails } from '#domain/errors.ts'

/** Replaces placeholders such as `{field}` with the details of an error. */
export function fillPlaceholders(text: string, details: ErrorDetails): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => String(details[name] ?? placeholder))
}
