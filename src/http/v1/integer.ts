const leadingNumber = /^[ \t\n\r\v\f]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/

/**
 * The integer in a value as clients of this API have always sent it: numbers and strings convert, a string by its
 * longest leading decimal number; everything else counts as absent.
 */
export function toInteger(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const number = typeof value === 'number' ? value : Number(leadingNumber.exec(value)?.[1] ?? 0)
  return Number.isFinite(number) ? Math.trunc(number) + 0 : undefined
}
