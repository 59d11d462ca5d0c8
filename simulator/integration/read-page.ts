import { badRequest, typeMismatch } from './api-error.ts'
import { compileFilter, type Properties } from './compile-filter.ts'
import { FilterError } from './parse-filter.ts'

type PageRules = { defaultLimit: number; maxLimit: number }

/** Returns a page of the items that match the filter. A limit that is too large is lowered, as real controllers do. */
export function readPage<Item>(
  items: readonly Item[],
  query: URLSearchParams,
  { defaultLimit, maxLimit, properties }: PageRules & { properties: Properties<Item> },
) {
  const offset = readInteger(query, 'offset', 0)
  const limit = Math.min(readInteger(query, 'limit', defaultLimit), maxLimit)
  const filter = query.get('filter')
  const { data, totalCount } = filter
    ? filterPage(items, { offset, limit, matches: readFilter(filter, properties) })
    : { data: items.slice(offset, offset + limit), totalCount: items.length }
  return { offset, limit, count: data.length, totalCount, data }
}

export function readFilter<Item>(text: string, properties: Properties<Item>): (item: Item) => boolean {
  try {
    return compileFilter(text, properties)
  } catch (error) {
    throw error instanceof FilterError ? badRequest(error.message) : error
  }
}

function filterPage<Item>(
  items: readonly Item[],
  { offset, limit, matches }: { offset: number; limit: number; matches: (item: Item) => boolean },
) {
  const data: Item[] = []
  let totalCount = 0
  for (const item of items) {
    if (!matches(item)) continue
    if (totalCount >= offset && data.length < limit) data.push(item)
    totalCount++
  }
  return { data, totalCount }
}

function readInteger(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name)
  if (text === null) return fallback
  if (!/^-?\d{1,9}$/.test(text)) throw typeMismatch(name, text)
  if (text.startsWith('-')) throw badRequest(`'${name}' must not be negative`)
  return Number(text)
}
