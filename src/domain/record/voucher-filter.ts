import { literalLike } from '#lib/literal-like.ts'
import type { VoucherStatus } from './voucher.ts'

/** The kind of creator of a voucher: an API key, a person of the staff, or somebody on the controller itself. */
export type VoucherSource = 'key' | 'staff' | 'controller'

export type VoucherFilter = {
  /** The time for which `status` is determined. */
  now: Date
  /** Only vouchers with one of these statuses. */
  status?: readonly VoucherStatus[] | undefined
  /** Only these vouchers. */
  ids?: string[] | undefined
  nameContains?: string | undefined
  reference?: string | undefined
  /** The id of the key or staff member that made it. */
  createdBy?: string | undefined
  source?: VoucherSource | undefined
  /** Only vouchers that nobody has used, according to the record. */
  unused?: boolean | undefined
  batchId?: string | undefined
  createdAfter?: Date | undefined
  createdBefore?: Date | undefined
  codePrefix?: string | undefined
  /** The last voucher of the page before. */
  after?: { createdAt: Date; id: string } | undefined
}

/**
 * True when no index leads directly to the matching vouchers. `status`, `createdBy` and the source `controller` have indexes, but
 * an index serves only one site and only one of these filters. Vouchers of all keys or all people are merged from their makers.
 */
export function isSearch(sites: number[] | 'all', filter: Omit<VoucherFilter, 'now'>): boolean {
  const isOneSite = sites !== 'all' && sites.length === 1
  const { nameContains, createdBy, source, unused = false, codePrefix, status } = filter
  const ofOneSite = [status, createdBy, source].filter((value) => value !== undefined).length
  return (
    nameContains !== undefined ||
    unused ||
    codePrefix !== undefined ||
    isOfMakers(source) ||
    ofOneSite > 1 ||
    (ofOneSite === 1 && !isOneSite)
  )
}

/** Whether each of these vouchers has a maker, a key or a person. */
export function isOfMakers(source: VoucherSource | undefined): source is 'key' | 'staff' {
  return source === 'key' || source === 'staff'
}

/**
 * SQL conditions for one page. Each inner list is one branch of a union, and a voucher matches at most one branch. `bind`
 * adds a parameter and returns its placeholder. Each status has its own branch, because its index has the order of the page.
 * `expired` has two branches: a voucher that expired since the last sync is still in the index of valid vouchers.
 */
export function pageConditions(filter: VoucherFilter, bind: (value: unknown) => string): string[][] {
  const common = [
    ...given(filter.ids, (ids) => `id = any (${bind(ids)}::uuid[])`),
    ...given(filter.nameContains, (text) => `name ilike ${bind(`%${literalLike(text)}%`)}`),
    ...given(filter.reference, (reference) => `reference = ${bind(reference)}`),
    ...given(filter.createdBy, (id) => `coalesce(api_key_id, staff_id) = ${bind(id)}`),
    ...given(filter.source, (source) => sourceConditions[source]),
    ...(filter.unused ? ['used_count = 0'] : []),
    ...given(filter.batchId, (id) => `batch_id = ${bind(id)}`),
    ...given(filter.createdAfter, (at) => `created_at > ${bind(at)}`),
    ...given(filter.createdBefore, (at) => `created_at < ${bind(at)}`),
    ...given(filter.codePrefix, (prefix) => `code like ${bind(`${literalLike(prefix)}%`)}`),
    ...given(filter.after, ({ createdAt, id }) => `(created_at, id) < (${bind(createdAt)}, ${bind(id)}::uuid)`),
  ]
  return statusConditions(filter, bind).map((conditions) => [...conditions, ...common])
}

function statusConditions({ status, now }: VoucherFilter, bind: (value: unknown) => string): string[][] {
  if (status === undefined) return [[]]
  return [...new Set(status)].flatMap((one) => {
    if (one === 'valid') return [[`status = 'valid'`, `(expires_at is null or expires_at > ${bind(now)})`]]
    if (one === 'expired') return [[`status = 'expired'`], [`status = 'valid'`, `expires_at <= ${bind(now)}`]]
    return [[`status = ${bind(one)}`]]
  })
}

/** The condition for `controller` must equal that of the index `vouchers_of_controllers`. */
const sourceConditions: Record<VoucherSource, string> = {
  key: 'api_key_id is not null',
  staff: 'staff_id is not null',
  controller: 'api_key_id is null and staff_id is null',
}

function given<T>(value: T | undefined, condition: (value: T) => string): string[] {
  return value === undefined ? [] : [condition(value)]
}
