import type { ListedVoucher, VoucherStatus } from './vouchers.queries.ts'

type Timed = Pick<ListedVoucher, 'status' | 'expiresAt'>

/** A `valid` voucher has expired the moment its time is over, not when somebody next looks at the controller. */
export function statusAt(now: Date, voucher: Timed): VoucherStatus {
  return voucher.status === 'valid' && voucher.expiresAt !== null && voucher.expiresAt <= now
    ? 'expired'
    : voucher.status
}

/** When the first of these statuses will change by itself; infinity when none will. */
export function nextExpiry(now: Date, vouchers: Timed[]): number {
  return vouchers
    .filter((voucher) => statusAt(now, voucher) === 'valid')
    .reduce((earliest, { expiresAt }) => Math.min(earliest, expiresAt?.getTime() ?? earliest), Number.POSITIVE_INFINITY)
}
