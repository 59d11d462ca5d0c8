import { addDays, toInstant, toWallTime } from '../../components/voucher/zoned-time.ts'
import type { ListQuery } from '../../queries/vouchers.ts'
import { type Period, statusesOf, type VoucherSearch } from './voucher-search.ts'

const daysOf: Record<Period, number> = { today: 0, '7d': 6, '30d': 29, '365d': 364 }

type Place = { siteId: number | undefined; timeZone: string; personId: string; now: Date }

/** The same filters as parameters of the API, without the page. */
export function toListQuery(search: VoucherSearch, { siteId, timeZone, personId, now }: Place): ListQuery {
  const { source, by = source === 'me' ? personId : undefined, reference } = search
  const q = search.q?.trim()
  const status = statusesOf(search.status)
  const startOf = (day: string) => toInstant(`${day} 00:00:00`, timeZone)
  const today = toWallTime(now, timeZone).slice(0, 10)
  const from = search.from ?? (search.created && addDays(today, -daysOf[search.created]))
  return {
    ...(siteId !== undefined && { site_id: [siteId] }),
    ...(q && (isCode(q) ? { code: q } : { text: q })),
    ...(status.length > 0 && { status }),
    ...(from !== undefined && { created_after: new Date(startOf(from).getTime() - 1).toISOString() }),
    ...(search.to !== undefined && { created_before: startOf(addDays(search.to, 1)).toISOString() }),
    ...(by !== undefined ? { created_by: by } : source !== undefined && source !== 'me' && { source }),
    ...(reference !== undefined && { reference }),
  }
}

/** Digits, hyphens and spaces with at least one digit are the beginning of a code, everything else is part of a name. */
function isCode(text: string): boolean {
  return /\d/.test(text) && /^[\d -]+$/.test(text)
}
