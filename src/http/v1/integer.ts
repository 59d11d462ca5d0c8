const leadingNumber = /^[ \t\n\r\v\f]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/

/**
 * The integer in a value as clients of this API have always sent it: numbers and strings convert, a string by its
 * longest leading decimal number; everything else counts as absent.
 */
export function toInteger(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) + 0 : undefined
  const text = leadingNumber.exec(value)?.[1] ?? '0'
  const number = Number(text)
  if (Number.isFinite(number)) return Math.trunc(number) + 0
  // Digits alone are a number however many they are; an exponent out of range is none.
  return /e/i.test(text) ? undefined : Math.sign(number) * Number.MAX_VALUE
}
