import { CommandRefused } from './errors.ts'

const maxLength = 200

/** A name for people: one line of visible text, without white space around it. */
export function plainName(text: string): string {
  const name = text.trim()
  if (
    name === '' ||
    [...name].length > maxLength ||
    /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name)
  ) {
    throw new CommandRefused(`A name is one line of 1 to ${maxLength} visible characters.`)
  }
  return name
}
