import type { Key } from '../../../../client/voucher-api.generated.ts'

const dayMs = 86_400_000

export type Expiry = 'revoked' | 'expired' | 'soon' | 'later' | 'never'

export function expiryOf({ revoked_at, expires_at }: Key, now = Date.now()): Expiry {
  if (revoked_at) return 'revoked'
  if (!expires_at) return 'never'
  const leftMs = Date.parse(expires_at) - now
  if (leftMs <= 0) return 'expired'
  return leftMs < 14 * dayMs ? 'soon' : 'later'
}

/** Days until a time, at least 1. */
export function daysUntil(time: string, now = Date.now()): number {
  return Math.max(1, Math.ceil((Date.parse(time) - now) / dayMs))
}

/** The keys that may use the site, if one is chosen, and match the search. Revoked keys come last. */
export function visibleKeys(keys: Key[], { siteId, search }: { siteId: number | undefined; search: string }): Key[] {
  const wanted = search.trim().toLowerCase()
  const found = keys.filter(
    ({ name, prefix, all_sites, site_ids }) =>
      (siteId === undefined || all_sites || site_ids.includes(siteId)) &&
      (name.toLowerCase().includes(wanted) || prefix.toLowerCase().includes(wanted)),
  )
  return found.toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null))
}

export function sumOf(counts: number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The day of a count, as a date at noon so that no time zone moves it. */
export function dayOf({ usage }: Key, index: number): Date {
  return new Date(Date.parse(`${usage.first_day}T12:00:00Z`) + index * dayMs)
}
