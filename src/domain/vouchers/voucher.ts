import type { Maker } from '../actor.ts'

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

/** A voucher as API v2 shows it. */
export type RecordedVoucher = {
  siteId: number
  id: string
  code: string
  /** What the client sent, or the controller's note without its date. */
  name: string
  /** As it stands on the controller, with the date. It never changes. */
  controllerName: string
  reference: string | null
  status: VoucherStatus
  maxUses: number
  usedCount: number
  expireMinutes: number
  /** Whether the controller got fewer minutes than the client asked for. */
  minutesCut: boolean
  downKbps: number
  upKbps: number
  quotaMb: number
  createdAt: Date
  firstUsedAt: Date | null
  expiresAt: Date | null
  validUntil: Date | null
  /** At this time the service withdraws the voucher if nobody has used it. */
  unusedUntil: Date | null
  revokedAt: Date | null
  syncedAt: Date | null
  /** Null for a voucher that was made on the controller. */
  maker: Maker | null
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

type WithEnds = Pick<RecordedVoucher, 'expiresAt' | 'validUntil' | 'revokedAt'>

/** The earliest known end of a voucher. */
export function endOf({ expiresAt, validUntil, revokedAt }: WithEnds): Date | null {
  const ends = [expiresAt, validUntil, revokedAt].filter((end) => end !== null)
  return ends.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null
}

type Extendable = Pick<RecordedVoucher, 'expiresAt' | 'usedCount' | 'minutesCut' | 'expireMinutes'>

/**
 * The latest time to which `validUntil` can be moved; null if there is no limit. The controller ends a used voucher at
 * `expiresAt`. An unused voucher has all its minutes before it. In whole minutes, so that an answer can be cached.
 */
export function latestValidUntil(now: Date, voucher: Extendable): Date | null {
  if (voucher.usedCount > 0 || voucher.expiresAt !== null) return voucher.expiresAt
  if (!voucher.minutesCut) return null
  return new Date(Math.floor(now.getTime() / 60_000 + voucher.expireMinutes) * 60_000)
}
