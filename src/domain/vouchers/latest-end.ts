import type { Driver, VoucherShape } from '#drivers/driver.ts'
import { DomainError } from '../errors.ts'

/** The minutes of a voucher whose only end is `valid_until`: as many as there are until then and its controller takes. */
export const upToTheEnd = 2_147_483_647
/** Almost two years, where a dialect documents no bound: more is refused by some. */
const longest = 1_000_000

/** Minutes run from the first use, which may be at once: then they end no later than the voucher is withdrawn. */
export function endingBy(
  { bounds }: Pick<Driver, 'bounds'>,
  shape: VoucherShape,
  validUntil: Date | null,
  now: Date,
): VoucherShape {
  if (validUntil === null) return shape
  const left = Math.floor((validUntil.getTime() - now.getTime()) / 60_000)
  if (left < 1) throw new DomainError('valid_until_passed')
  const most = shape.expireMinutes === upToTheEnd ? (bounds.expireMinutes?.max ?? longest) : shape.expireMinutes
  return { ...shape, expireMinutes: Math.min(most, left) }
}
