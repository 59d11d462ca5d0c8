import { DomainError } from '../errors.ts'

/** The date in front of it fits into 255 as well. */
const maxNameLength = 244

const around = /[\s\p{Z}\p{Cc}\u200b\u2060\ufeff]/u
const invisible = /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** White space around a name is not part of it; inside, only what can be printed is. */
export function toVoucherName(text: string): string {
  const name = trim(text)
  if (invisible.test(name)) throw new DomainError('name_required')
  if (unprintable.test(name)) throw new DomainError('name_unprintable')
  if ([...name].length > maxNameLength) throw new DomainError('name_too_long')
  return name
}

/** By steps from both ends: a pattern anchored at the end takes seconds for a name full of spaces. */
function trim(text: string): string {
  let [begin, end] = [0, text.length]
  while (begin < end && around.test(text.charAt(begin))) begin += 1
  while (end > begin && around.test(text.charAt(end - 1))) end -= 1
  return text.slice(begin, end)
}
