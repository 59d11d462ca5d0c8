import { hasSameLimits, type VoucherShape } from '../driver.ts'
import type { ClassicVoucher } from './wire.ts'

/** Of the vouchers of one second, those that may be the ones asked for. Some controllers show no name; then the rest decides. */
export function findMade(vouchers: ClassicVoucher[], asked: VoucherShape): ClassicVoucher[] {
  const alike = vouchers.filter(
    ({ shape, usedCount, isOurs }) => usedCount === 0 && isOurs !== false && hasSameLimits(shape, asked),
  )
  const named = alike.filter(({ shape }) => shape.name === asked.name)
  return named.length > 0 ? named : alike.filter(({ hasName }) => !hasName)
}

/**
 * Those that our account made, or all while its name is not known. Vouchers of the same shape are interchangeable; which
 * of them is still free, the record decides.
 */
export function preferOurs(made: ClassicVoucher[]): ClassicVoucher[] {
  const ours = made.filter(({ isOurs }) => isOurs)
  return ours.length > 0 ? ours : made
}

/** Our account's name, if it can be told: ours are among those that were found, so a name that all of them carry is ours. */
export function adminNameOf(made: ClassicVoucher[], count: number): string | null {
  const [adminName = null, another] = new Set(made.map((voucher) => voucher.adminName))
  return made.length >= count && another === undefined ? adminName : null
}
