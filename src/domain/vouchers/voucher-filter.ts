import type { VoucherStatus } from './voucher.ts'

export type VoucherFilter = {
  /** The time for which `status` is determined. */
  now: Date
  status?: VoucherStatus | undefined
  nameContains?: string | undefined
  reference?: string | undefined
  /** The id of the key or staff member that made it. */
  createdBy?: string | undefined
  /** Only vouchers that nobody has used, as far as the record knows. */
  unused?: boolean | undefined
  batchId?: string | undefined
  createdAfter?: Date | undefined
  createdBefore?: Date | undefined
  codePrefix?: string | undefined
  /** The last voucher of the page before. */
  after?: { createdAt: Date; id: string } | undefined
}

/**
 * SQL conditions for one page, in one or more lists. A voucher fulfils exactly one of the lists. `bind` names a value.
 * `expired` needs two lists: a voucher that expired since the last sync is still in the index of valid vouchers.
 */
export function pageConditions(filter: VoucherFilter, bind: (value: unknown) => string): string[][] {
  const common = [
    ...given(filter.nameContains, (text) => `name ilike ${bind(`%${literal(text)}%`)}`),
    ...given(filter.reference, (reference) => `reference = ${bind(reference)}`),
    ...given(filter.createdBy, (id) => `coalesce(api_key_id, staff_id) = ${bind(id)}`),
    ...(filter.unused ? ['used_count = 0'] : []),
    ...given(filter.batchId, (id) => `batch_id = ${bind(id)}`),
    ...given(filter.createdAfter, (at) => `created_at > ${bind(at)}`),
    ...given(filter.createdBefore, (at) => `created_at < ${bind(at)}`),
    ...given(filter.codePrefix, (prefix) => `code like ${bind(`${literal(prefix)}%`)}`),
    ...given(filter.after, ({ createdAt, id }) => `(created_at, id) < (${bind(createdAt)}, ${bind(id)}::uuid)`),
  ]
  return statusConditions(filter, bind).map((conditions) => [...conditions, ...common])
}

function statusConditions({ status, now }: VoucherFilter, bind: (value: unknown) => string): string[][] {
  if (status === undefined) return [[]]
  if (status === 'valid') return [[`status = 'valid'`, `(expires_at is null or expires_at > ${bind(now)})`]]
  if (status === 'expired') return [[`status = 'expired'`], [`status = 'valid'`, `expires_at <= ${bind(now)}`]]
  return [[`status = ${bind(status)}`]]
}

function given<T>(value: T | undefined, condition: (value: T) => string): string[] {
  return value === undefined ? [] : [condition(value)]
}

/** Treats `%` and `_` as ordinary characters, not as wildcards. */
function literal(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
