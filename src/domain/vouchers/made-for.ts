import { type ControllerVoucher, hasSameLimits, type SeenVoucher, type VoucherShape } from '#drivers/driver.ts'

/** Clocks are compared by whole seconds, and a request was under way for a moment. */
const toleranceMs = 10_000

/**
 * Of what is on the controller, that which may have been made for somebody who asked for this shape at that time: not
 * before, not by others. The earliest first; last those that only seem older: a controller's clock may have been set
 * since, and what nobody recorded although it was made with our credentials is nobody else's.
 */
export function madeFor(seen: SeenVoucher[], asked: VoucherShape, askedAt: Date): ControllerVoucher[] {
  const notBefore = askedAt.getTime() - toleranceMs
  const isOlder = ({ createdAt }: SeenVoucher) => createdAt !== null && createdAt.getTime() < notBefore
  return seen
    .filter((voucher): voucher is ControllerVoucher => voucher.code !== null)
    .filter(({ shape, isOurs }) => isOurs !== false && shape.name === asked.name && hasSameLimits(shape, asked))
    .filter((voucher) => !isOlder(voucher) || voucher.isOurs === true)
    .toSorted((a, b) => Number(isOlder(a)) - Number(isOlder(b)) || Number(a.createdAt) - Number(b.createdAt))
}
