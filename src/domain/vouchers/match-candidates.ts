import { type ControllerVoucher, hasSameLimits, type SeenVoucher, type VoucherShape } from '#drivers/driver.ts'

/** Controllers stamp whole seconds, and a request was under way for a moment. */
const toleranceMs = 10_000
/** How wrong the corrected time of a voucher can be: the header `Date` has whole seconds too. */
const clockErrorMs = 3_000
/** Longer than the longest call, which makes a batch of 1,000. */
const graceMs = 120_000

/** A creation whose voucher is looked for. */
export type Sought = {
  shape: VoucherShape
  note: string
  sentAt: Date
  controllerAheadMs: number | null
}

/**
 * The latest time at which the voucher of a creation can have been made. A creation may be settled much later than that,
 * e.g. after a restored backup: a voucher of the same name that was made meanwhile belongs to somebody else.
 */
export function latestTimeOf({ sentAt }: Pick<Sought, 'sentAt'>, settleSeconds: number): Date {
  return new Date(sentAt.getTime() + settleSeconds * 1_000 + graceMs)
}

/**
 * Unclaimed vouchers that may have been made for this creation, earliest first: of its name and limits, not made by
 * another administrator, and not made before it was sent. With a tag in the name nothing else has to be compared.
 */
export function matchCandidates(
  seen: SeenVoucher[],
  sought: Sought,
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
 * When the voucher may have been made, by our clock. The controller's clock may have been set since the creation was sent,
 * and while no answer to a creation was seen, the `Date` of replies may be that of a proxy.
 */
function plausibleTimes({ createdAt, stampedAt }: SeenVoucher, sought: Sought, skewIsKnown: boolean): number[] {
  if (createdAt === null || stampedAt === null) return []
  return [
    createdAt.getTime(),
    ...(sought.controllerAheadMs === null ? [] : [stampedAt.getTime() - sought.controllerAheadMs]),
    ...(skewIsKnown ? [] : [stampedAt.getTime()]),
  ]
}

/** Whether a voucher that matches was made for this creation and for nobody else: only then may it be deleted. */
export function isCertainlyFor(voucher: SeenVoucher, sought: Sought, until: Date): boolean {
  if (isTagged(sought)) return true
  const madeAt = voucher.createdAt?.getTime() ?? Number.NaN
  const isInWindow = madeAt >= sought.sentAt.getTime() - clockErrorMs && madeAt <= until.getTime() - clockErrorMs
  return voucher.isOurs === true && isInWindow
}

function isTagged({ note, shape }: Sought): boolean {
  return note !== shape.name
}
