import type { VoucherShape } from '#drivers/driver.ts'
import { DomainError } from '../errors.ts'

/** Minutes run from the first use, which may be at once: then they end no later than the voucher is withdrawn. */
export function endingBy(shape: VoucherShape, validUntil: Date | null, now: Date): VoucherShape {
  if (validUntil === null) return shape
  const left = Math.floor((validUntil.getTime() - now.getTime()) / 60_000)
  if (left < 1) throw new DomainError('valid_until_passed')
  return { ...shape, expireMinutes: Math.min(shape.expireMinutes, left) }
}
