import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { oneOf, type PagePosition, pagePosition, searchReader, text, textLike } from '../../search-params.ts'

export type Status = Voucher['status']
export const statuses: readonly Status[] = ['valid', 'used', 'expired', 'revoked']

export const periods = ['today', '7d', '30d', '365d'] as const
export type Period = (typeof periods)[number]

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
  /** The id of the person or key that created them. It is used instead of `source`. */
  by?: string | undefined
  reference?: string | undefined
  /** The voucher in the drawer. */
  voucher?: string | undefined
  /** The revocation whose progress is shown. */
  revocation?: string | undefined
}

/** JavaScript reads 31 February as 3 March. */
function day(value: unknown): string | undefined {
  const text = textLike(/^\d{4}-\d\d-\d\d$/)(value, {})
  const ms = Date.parse(`${text}T00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text ? text : undefined
}

export const readVoucherSearch: (search: Record<string, unknown>) => VoucherSearch = searchReader({
  q: text,
  status: (value) => statusesOf(text(value)).join(',') || undefined,
  created: oneOf(periods),
  from: day,
  to: day,
  source: oneOf(sources),
  by: textLike(/^[0-9a-f-]{36}$/),
  reference: text,
  voucher: text,
  revocation: text,
  ...pagePosition,
})

export function statusesOf(text: string | undefined): Status[] {
  const named = text?.split(',') ?? []
  return statuses.filter((status) => named.includes(status))
}

export function hasFilters({ q, status, created, from, to, source, by, reference }: VoucherSearch): boolean {
  return [q, status, created, from, to, source, by, reference].some((value) => value !== undefined)
}

/** The values of the address that *Clear filters* removes. The page begins again at the newest voucher. */
export const noFilters: VoucherSearch = {
  q: undefined,
  status: undefined,
  created: undefined,
  from: undefined,
  to: undefined,
  source: undefined,
  by: undefined,
  reference: undefined,
  cursor: undefined,
  page: undefined,
}
