import { DomainError } from './errors.ts'

const maxNameLength = 200
/** Control characters, line breaks, and marks that reverse the direction of text. */
export const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
const invisible = /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Trims a display name. Rejects everything that is not one line of visible text. The error names the field. */
export function plainName(text: string, field: 'name' | 'controller_site' = 'name'): string {
  const name = text.trim()
  if (invisible.test(name) || [...name].length > maxNameLength || unprintable.test(name))
    throw new DomainError('display_name_invalid', { details: { field, max: maxNameLength } })
  return name
}
