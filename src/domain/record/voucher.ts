import type { Maker } from '../actor.ts'

export type VoucherStatus = 'valid' | 'used' | 'expired' | 'revoked'

/** A voucher as API v1 lists it. Times are in ISO 8601 and numbers are texts, which are copied into the list. */
export type ListedVoucher = {
  code: string
  name: string
  maxUses: string
  expireMinutes: string
  status: VoucherStatus
  usedCount: string
  createdAt: string
  expiresAt: string | null
}

/** A voucher as API v2 shows it. */
export type RecordedVoucher = {
  siteId: number
  id: string
  code: string
  /** The name that the client sent, or the controller's note without its date. */
  name: string
  /** The name on the controller, with the date and without a tag. It never changes. */
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

/** A `valid` voucher expires when its time is over, not when the next sync reads the controller. */
export function statusAt<Time extends Date | string>(
  now: Time,
  voucher: { status: VoucherStatus; expiresAt: Time | null },
): VoucherStatus {
  return voucher.status === 'valid' && voucher.expiresAt !== null && voucher.expiresAt <= now
    ? 'expired'
    : voucher.status
}

/** The time at which the first of these vouchers expires; null when none will. */
export function nextExpiry(now: string, vouchers: Pick<ListedVoucher, 'status' | 'expiresAt'>[]): string | null {
  let earliest: string | null = null
  for (const { status, expiresAt } of vouchers)
    if (status === 'valid' && expiresAt !== null && expiresAt > now && (earliest === null || expiresAt < earliest))
      earliest = expiresAt
  return earliest
}

/** The earliest time after `now` at which one of these vouchers is shown differently although nothing was recorded. */
export function nextChange(now: Date, vouchers: RecordedVoucher[]): Date | null {
  const changes = vouchers.flatMap((voucher) => {
    const { status, expiresAt } = voucher
    const expires = status === 'valid' && expiresAt !== null && expiresAt > now ? [expiresAt] : []
    return dependsOnTime(voucher) ? [...expires, new Date(Math.floor(now.getTime() / 60_000 + 1) * 60_000)] : expires
  })
  return earliestOf(changes)
}

type WithEnds = Pick<RecordedVoucher, 'expiresAt' | 'validUntil' | 'revokedAt'>

/** The earliest known end of a voucher. */
export function endOf({ expiresAt, validUntil, revokedAt }: WithEnds): Date | null {
  return earliestOf([expiresAt, validUntil, revokedAt].filter((end) => end !== null))
}

export function earliestOf(times: Date[]): Date | null {
  return times.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null
}

type Extendable = Pick<RecordedVoucher, 'expiresAt' | 'usedCount' | 'minutesCut' | 'expireMinutes'>

/**
 * The latest time to which `validUntil` can be moved; null if there is no limit. It is `expiresAt` if the voucher has one,
 * because the controller ends the voucher then. For an unused voucher whose minutes were cut, it is `expireMinutes` from now, as
 * if the voucher were first used now. It is rounded down to a whole minute, so that an answer can be cached.
 */
export function latestValidUntil(now: Date, voucher: Extendable): Date | null {
  if (!dependsOnTime(voucher)) return voucher.expiresAt
  return new Date(Math.floor(now.getTime() / 60_000 + voucher.expireMinutes) * 60_000)
}

/** Whether `latestValidUntil` moves with the current time: true for an unused voucher whose minutes were cut. */
function dependsOnTime({ usedCount, expiresAt, minutesCut }: Extendable): boolean {
  return usedCount === 0 && expiresAt === null && minutesCut
}
