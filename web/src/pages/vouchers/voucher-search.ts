import type { Voucher, VoucherApi } from '../../../../client/voucher-api.generated.ts'
import { addDays, toInstant, toWallTime } from '../../components/voucher/zoned-time.ts'
import { oneOf, type PagePosition, pagePosition, searchReader, text, textLike } from '../../search-params.ts'

export type Status = Voucher['status']
export const statuses: readonly Status[] = ['valid', 'used', 'expired', 'revoked']

export const periods = ['today', '7d', '30d', '365d'] as const
type Period = (typeof periods)[number]
const daysOf: Record<Period, number> = { today: 0, '7d': 6, '30d': 29, '365d': 364 }

export const sources = ['me', 'staff', 'key', 'controller'] as const
type Source = (typeof sources)[number]

/** The filters of the page and what it shows, as the address has them. */
export type VoucherSearch = PagePosition & {
  /** Part of a name, or the beginning of a code. */
  q?: string | undefined
  /** One or more, with commas. */
  status?: string | undefined
  created?: Period | undefined
  /** A day, `2026-11-15`. It and `to` are used instead of `created`. */
  from?: string | undefined
  to?: string | undefined
  source?: Source | undefined
  reference?: string | undefined
  /** The voucher in the drawer. */
  voucher?: string | undefined
  /** The revocation whose progress is shown. */
  revocation?: string | undefined
}

const day = textLike(/^\d{4}-\d\d-\d\d$/)

export const readVoucherSearch: (search: Record<string, unknown>) => VoucherSearch = searchReader({
  q: text,
  status: (value) => statusesOf(text(value)).join(',') || undefined,
  created: oneOf(periods),
  from: day,
  to: day,
  source: oneOf(sources),
  reference: text,
  voucher: text,
  revocation: text,
  ...pagePosition,
})

export function statusesOf(text: string | undefined): Status[] {
  const named = text?.split(',') ?? []
  return statuses.filter((status) => named.includes(status))
}

export function hasFilters({ q, status, created, from, to, source, reference }: VoucherSearch): boolean {
  return [q, status, created, from, to, source, reference].some((value) => value !== undefined)
}

/** The values of the address that *Clear filters* removes. The page begins again at the newest voucher. */
export const noFilters: VoucherSearch = {
  q: undefined,
  status: undefined,
  created: undefined,
  from: undefined,
  to: undefined,
  source: undefined,
  reference: undefined,
  cursor: undefined,
  page: undefined,
}

export type ListQuery = NonNullable<Parameters<VoucherApi['listVouchers']>[0]>

type Place = { siteId: number | undefined; timeZone: string; personId: string; now: Date }

/** The same filters as parameters of the API, without the page. */
export function toListQuery(search: VoucherSearch, { siteId, timeZone, personId, now }: Place): ListQuery {
  const { source, reference } = search
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
    ...(source === 'me' ? { created_by: personId } : source !== undefined && { source }),
    ...(reference !== undefined && { reference }),
  }
}

/** Digits, hyphens and spaces with at least one digit are the beginning of a code, everything else is part of a name. */
function isCode(text: string): boolean {
  return /\d/.test(text) && /^[\d -]+$/.test(text)
}
