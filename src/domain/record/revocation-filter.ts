import { pageConditions, type VoucherFilter } from './voucher-filter.ts'

/** Which vouchers a revocation covers. */
export type RevocationFilter = Omit<VoucherFilter, 'status' | 'after'>

/** SQL for the conditions of a filter, which are the same for vouchers, creations and rows of batches, and the values that it binds. */
export function bindFilter(sites: number[] | 'all', filter: RevocationFilter, values: unknown[] = []) {
  const bind = (value: unknown) => `$${values.push(value)}`
  const [fits = []] = pageConditions(filter, bind)
  const ofSites = sites === 'all' ? [] : [`site_id = any (${bind(sites)}::integer[])`]
  return { values, bind, where: [...ofSites, ...fits].join(' and ') || 'true' }
}
