import { DomainError } from './errors.ts'

const maxLength = 200
const invisible = /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Trims a display name. Rejects everything that is not one line of visible text. */
export function plainName(text: string): string {
  const name = text.trim()
  if (
    invisible.test(name) ||
    [...name].length > maxLength ||
    /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name)
  ) {
    throw new DomainError('display_name_invalid', { details: { max: maxLength } })
  }
  return name
}
