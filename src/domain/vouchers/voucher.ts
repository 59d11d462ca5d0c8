export type VoucherStatus = 'valid' | 'used' | 'expired' | 'revoked'

/** A voucher as API v1 lists it. */
export type ListedVoucher = {
  code: string
  name: string
  maxUses: number
  expireMinutes: number
  status: VoucherStatus
  usedCount: number
  createdAt: Date
  expiresAt: Date | null
}

/** A voucher as API v2 shows it. `source` is the id of the key or staff member that made it. */
export type RecordedVoucher = {
  siteId: number
  id: string
  code: string
  name: string
  reference: string | null
  status: VoucherStatus
  maxUses: number
  usedCount: number
  expireMinutes: number
  downKbps: number
  upKbps: number
  quotaMb: number
  createdAt: Date
  firstUsedAt: Date | null
  expiresAt: Date | null
  validUntil: Date | null
  revokedAt: Date | null
  syncedAt: Date | null
  source: string | null
  batchId: string | null
}

type Timed = Pick<ListedVoucher, 'status' | 'expiresAt'>

/** A `valid` voucher expires when its time is over, not when the next sync reads the controller. */
export function statusAt(now: Date, voucher: Timed): VoucherStatus {
  return voucher.status === 'valid' && voucher.expiresAt !== null && voucher.expiresAt <= now
    ? 'expired'
    : voucher.status
}

/** The time at which the first of these vouchers expires; infinity when none will. */
export function nextExpiry(now: Date, vouchers: Timed[]): number {
  return vouchers
    .filter((voucher) => statusAt(now, voucher) === 'valid')
    .reduce((earliest, { expiresAt }) => Math.min(earliest, expiresAt?.getTime() ?? earliest), Number.POSITIVE_INFINITY)
}
