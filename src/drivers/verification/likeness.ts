import type { SeenVoucher, VoucherShape } from '../driver.ts'

export function isSame(a: SeenVoucher, b: SeenVoucher): boolean {
  return a.id === null ? a.code === b.code : a.id === b.id
}

/** Whether it can only be the one that was asked for. Some controllers show no name; then all its limits decide. */
export function isNewAndAlike(voucher: SeenVoucher, before: SeenVoucher[], asked: VoucherShape): boolean {
  const { shape, usedCount } = voucher
  if (usedCount > 0 || before.some((known) => isSame(known, voucher))) return false
  return shape.name === asked.name || (shape.name === '' && hasLimitsOf(shape, asked))
}

function hasLimitsOf(shape: VoucherShape, asked: VoucherShape): boolean {
  return (['maxUses', 'expireMinutes', 'downKbps', 'upKbps', 'quotaMb'] as const).every(
    (limit) => shape[limit] === asked[limit],
  )
}
