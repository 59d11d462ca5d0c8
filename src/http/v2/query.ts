import { Refused } from './problems.ts'

/** The parameters of an address: a text for what is given once, a list for what is repeated. */
export function readQuery(url: string): Record<string, string | string[]> {
  const at = url.indexOf('?')
  const pairs = new URLSearchParams(at < 0 ? '' : url.slice(at + 1))
  return Object.fromEntries(
    [...new Set(pairs.keys())].map((name) => {
      const values = pairs.getAll(name)
      return [name, values.length === 1 ? (values[0] as string) : values]
    }),
  )
}

/** `1e400` is converted to infinity, which the validator holds against no bound. */
export function refuseInfinity(query: unknown): void {
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    const isInfinite = [value].flat().some((number) => typeof number === 'number' && !Number.isFinite(number))
    if (isInfinite) throw new Refused('parameter_invalid', name)
  }
}
