import type { TObject } from 'typebox'
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

/** Numbers are written in decimal digits. The validator would also take `0x5`, ` 5`, `5.0` and `1e400`. */
export function refuseOddNumbers(schema: TObject, query: Record<string, string | string[]>): void {
  for (const [name, member] of Object.entries(schema.properties as Record<string, NumberOrNumbers>)) {
    if (member.type !== 'integer' && member.items?.type !== 'integer') continue
    const isOdd = [query[name] ?? []].flat().some((text) => !/^-?\d{1,15}$/.test(text))
    if (isOdd) throw new Refused('parameter_invalid', name)
  }
}

type NumberOrNumbers = { type?: string; items?: { type?: string } }
