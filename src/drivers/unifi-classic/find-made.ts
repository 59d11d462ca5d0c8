import { hasSameLimits, type VoucherShape } from '../driver.ts'
import type { ClassicVoucher } from './wire.ts'

/**
 * Of the vouchers of one second, those that may be the ones asked for: ours, and of the same shape. Such are
 * interchangeable; which of them is still free, the record decides. Some controllers show no name; then the rest decides.
 */
export function findMade(vouchers: ClassicVoucher[], asked: VoucherShape): ClassicVoucher[] {
  const alike = vouchers.filter(
    ({ shape, usedCount, isOurs }) => usedCount === 0 && isOurs !== false && hasSameLimits(shape, asked),
  )
  const named = alike.filter(({ shape }) => shape.name === asked.name)
  return named.length > 0 ? named : alike.filter(({ hasName }) => !hasName)
}
