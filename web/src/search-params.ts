type Search = Record<string, unknown>
type Reader<Value> = (value: unknown, search: Search) => Value | undefined
type ValuesOf<Readers extends Record<string, Reader<unknown>>> = {
  [Name in keyof Readers]?: ReturnType<Readers[Name]> | undefined
}

/**
 * Reads the search parameters of a route with one reader for each. A parameter that is missing or not valid is set to undefined:
 * the router would otherwise keep the value of the address.
 */
export function searchReader<Readers extends Record<string, Reader<unknown>>>(readers: Readers) {
  return (search: Search): ValuesOf<Readers> => {
    const values = Object.entries(readers).map(([name, read]) => [name, read(search[name], search)])
    return Object.fromEntries(values)
  }
}

/** Text that a person typed. The router reads the address as JSON, so `q=42` arrives as a number. */
export function text(value: unknown): string | undefined {
  const words = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
  return words === '' ? undefined : words.slice(0, 200)
}

export function textLike(shape: RegExp): Reader<string> {
  return (value) => (typeof value === 'string' && shape.test(value) ? value : undefined)
}

export function oneOf<const Value extends string | number>(values: readonly Value[]): Reader<Value> {
  return (value) => values.find((one) => String(one) === String(value))
}

/** A whole number from `least` on. */
export function wholeNumber(least: number): Reader<number> {
  return (value) => {
    const number = typeof value === 'string' ? Number(value) : value
    return Number.isSafeInteger(number) && Number(number) >= least ? Number(number) : undefined
  }
}

/** The position in a list that is read by cursor. Both are part of the address. */
export type PagePosition = { cursor?: string | undefined; page?: number | undefined }

/** Readers of the position. A page number without a cursor, or the other way round, is the first page. */
export const pagePosition = {
  cursor: (_: unknown, search: Search) => readPosition(search).cursor,
  page: (_: unknown, search: Search) => readPosition(search).page,
}

function readPosition({ cursor, page }: Search): PagePosition {
  const number = wholeNumber(2)(page, {})
  return typeof cursor === 'string' && cursor !== '' && number !== undefined ? { cursor, page: number } : {}
}
