import type { VoucherStatus } from './vouchers.queries.ts'

export type VoucherFilter = {
  /** The moment at which `status` is told. */
  now: Date
  status?: VoucherStatus | undefined
  nameContains?: string | undefined
  reference?: string | undefined
  source?: string | undefined
  batchId?: string | undefined
  createdAfter?: Date | undefined
  createdBefore?: Date | undefined
  codePrefix?: string | undefined
  /** The last voucher of the page before. */
  after?: { createdAt: Date; id: string } | undefined
}

/**
 * SQL conditions for one page; where there are several lists of them, a voucher fulfils exactly one. `bind` names a value.
 * `expired` is two lists, because what has run out since the last sync still stands in the index of the valid ones.
 */
export function pageConditions(filter: VoucherFilter, bind: (value: unknown) => string): string[][] {
  const common = [
    ...given(filter.nameContains, (text) => `name ilike ${bind(`%${literal(text)}%`)}`),
    ...given(filter.reference, (reference) => `reference = ${bind(reference)}`),
    ...given(filter.source, (id) => `coalesce(api_key_id, staff_id) = ${bind(id)}`),
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

/** `%` and `_` are letters here. */
function literal(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
