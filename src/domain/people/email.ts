/**
 * Whether a text has the form of an e-mail address. Invisible characters are rejected: with them, two accounts could look the same.
 */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text)
}
