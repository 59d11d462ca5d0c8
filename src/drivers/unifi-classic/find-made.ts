import { hasSameLimits, type VoucherShape } from '../driver.ts'
import type { ClassicVoucher } from './wire.ts'

/** Vouchers of one second that may be the requested ones. Some controllers show no name; then only the limits are compared. */
export function findMade(vouchers: ClassicVoucher[], asked: VoucherShape): ClassicVoucher[] {
  const alike = vouchers.filter(
    ({ shape, usedCount, isOurs }) => usedCount === 0 && isOurs !== false && hasSameLimits(shape, asked),
  )
  const named = alike.filter(({ shape }) => shape.name === asked.name)
  return named.length > 0 ? named : alike.filter(({ hasName }) => !hasName)
}

/**
 * Vouchers that our account certainly made, or all of them if there are none. Vouchers of the same shape are interchangeable;
 * the record decides which of them is still free.
 */
export function preferOurs(made: ClassicVoucher[]): ClassicVoucher[] {
  const ours = made.filter(({ isOurs }) => isOurs)
  return ours.length > 0 ? ours : made
}

/** Our account's name, or null if it is not certain. Ours are among the vouchers found, so a name that all have is ours. */
export function adminNameOf(made: ClassicVoucher[], count: number): string | null {
  const [adminName = null, another] = new Set(made.map((voucher) => voucher.adminName))
  return made.length >= count && another === undefined ? adminName : null
}
