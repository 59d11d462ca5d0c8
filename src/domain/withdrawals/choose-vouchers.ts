import type { Queryable } from '#db/database.ts'
import { DomainError } from '../errors.ts'
import {
  cancelFittingRows,
  listRevocableVouchers,
  type RevocationFilter,
  updateCreationsRevoked,
  updateRefusedRevoked,
} from './revocable-vouchers.queries.ts'
import type { VoucherPlace } from './revocation.ts'

const maxVouchers = 10_000

/**
 * Returns the vouchers that match a filter, and the creations whose voucher is not known yet. First locks the batches with
 * matching rows and cancels the rows that were not sent yet, then marks matching creations, then lists vouchers. The order
 * matters: a row that was just sent is found as a creation, and a creation that was just recorded is found as a voucher.
 */
export async function chooseByFilter(
  tx: Queryable,
  sites: number[] | 'all',
  filter: RevocationFilter,
): Promise<VoucherPlace[]> {
  await cancelFittingRows(tx, sites, filter)
  const unsettled = await updateCreationsRevoked(tx, sites, filter)
  await updateRefusedRevoked(tx, sites, filter)
  const vouchers = await listRevocableVouchers(tx, sites, filter, maxVouchers + 1)
  if (unsettled.length + vouchers.length > maxVouchers) throw new DomainError('vouchers_too_many')
  return [...unsettled, ...vouchers]
}
