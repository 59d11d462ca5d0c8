import { type ControllerVoucher, hasSameLimits, type SeenVoucher } from '#drivers/driver.ts'
import type { SoughtCreation } from '../record/creation.ts'

/** Controllers stamp whole seconds, and a request takes a moment to arrive. */
const toleranceMs = 10_000
/** How wrong the corrected time of a voucher can be, because the header `Date` is in whole seconds as well. */
const clockErrorMs = 3_000
/** Longer than the longest call, which makes 1,000 vouchers. */
const graceMs = 120_000

/**
 * The latest time at which the voucher of a creation can have been made. A creation may be settled much later, e.g. after
 * a restored backup. Vouchers of the same name that were made after this time belong to somebody else.
 */
export function latestTimeOf({ sentAt }: Pick<SoughtCreation, 'sentAt'>, settleSeconds: number): Date {
  return new Date(sentAt.getTime() + settleSeconds * 1_000 + graceMs)
}

/**
 * Vouchers that may have been made for this creation, earliest first. They have its name and limits, no other administrator made
 * them, and they were not made before the creation was sent or after `until`. If the name has a tag, times are not compared. Some
 * may belong to other creations already: recording skips those.
 */
export function matchCandidates(
  seen: SeenVoucher[],
  sought: SoughtCreation,
  options: { skewIsKnown: boolean; until?: Date | undefined },
): ControllerVoucher[] {
  const notBefore = sought.sentAt.getTime() - toleranceMs
  const notAfter = options.until ? options.until.getTime() + toleranceMs : Number.POSITIVE_INFINITY
  const isInTime = (voucher: SeenVoucher) => {
    const times = plausibleTimes(voucher, sought, options.skewIsKnown)
    return times.length === 0 || times.some((time) => time >= notBefore && time <= notAfter)
  }
  return seen
    .filter((voucher): voucher is ControllerVoucher => voucher.code !== null)
    .filter(({ shape, isOurs }) => isOurs !== false && shape.name === sought.note && hasSameLimits(shape, sought.shape))
    .filter((voucher) => isTagged(sought) || isInTime(voucher))
    .toSorted((a, b) => Number(a.createdAt) - Number(b.createdAt))
}

/**
 * The times at which the voucher may have been made, by our clock. There are several, because the controller's clock may
 * have been set since the creation was sent, and because the `Date` of replies may come from a proxy until a new voucher
 * has shown the difference.
 */
function plausibleTimes({ createdAt, stampedAt }: SeenVoucher, sought: SoughtCreation, skewIsKnown: boolean): number[] {
  if (createdAt === null || stampedAt === null) return []
  return [
    createdAt.getTime(),
    ...(sought.controllerAheadMs === null ? [] : [stampedAt.getTime() - sought.controllerAheadMs]),
    ...(skewIsKnown ? [] : [stampedAt.getTime()]),
  ]
}

/** Whether a matching voucher was certainly made for this creation. Only then may it be deleted. */
export function isCertainlyFor(voucher: SeenVoucher, sought: SoughtCreation, until: Date): boolean {
  if (isTagged(sought)) return true
  const madeAt = voucher.createdAt?.getTime() ?? Number.NaN
  const isInWindow = madeAt >= sought.sentAt.getTime() - clockErrorMs && madeAt <= until.getTime() - clockErrorMs
  return voucher.isOurs === true && isInWindow
}

function isTagged({ note, shape }: SoughtCreation): boolean {
  return note !== shape.name
}
