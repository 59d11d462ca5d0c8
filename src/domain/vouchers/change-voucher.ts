import type { Database, Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import { recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import type { RepeatableRequest } from '../idempotency.ts'
import { publicId, type SiteItem } from '../public-id.ts'
import {
  type LockedVoucher,
  lockVoucher,
  moveScheduledWithdrawal,
  updateVoucher,
  type VoucherChange,
} from '../record/change-voucher.queries.ts'
import { withoutGuestData } from '../record/guest-fields.ts'
import { endOf, latestValidUntil, statusAt } from '../record/voucher.ts'
import { latestEnd, longestMinutesOf } from '../record/voucher-shape.ts'
import { changeVoucherOperation } from '../remembered-requests.queries.ts'
import { onceInTransaction } from '../remembered-requests.ts'
import { findLimitedSite } from '../sites/sites.queries.ts'

export type Direction = 'later' | 'earlier'

export type ChangeRequest = RepeatableRequest & {
  voucher: SiteItem
  change: VoucherChange
  /** The end may only move in this direction. Without it, any end is accepted. */
  direction?: Direction | undefined
}

/**
 * Changes the name, the reference and the end of a voucher in the record. The controller is not called: the service itself
 * withdraws the voucher at its end. If a withdrawal has begun, the change is rejected. A committed change moves the withdrawal
 * before it can begin. So the two never contradict each other.
 */
export async function changeVoucher(
  ctx: { db: Database; keyring: Keyring },
  request: ChangeRequest,
): Promise<{ isRepeat: boolean }> {
  const remembered = { operation: changeVoucherOperation, target: request.voucher.id }
  const { isRepeat } = await onceInTransaction(ctx, remembered, request, async (tx) => {
    await change(tx, request)
    return {}
  })
  return { isRepeat }
}

async function change(tx: Queryable, request: ChangeRequest): Promise<void> {
  const { actor, voucher, change: wanted, direction } = request
  const locked = await lockVoucher(tx, voucher)
  if (!locked) throw new DomainError('voucher_not_found')
  checkIsLive(locked)
  if (wanted.validUntil !== undefined) {
    const longestMinutes = longestMinutesOf([actor.issuing, await findLimitedSite(tx, voucher.siteId, null)])
    checkEnd({ ...locked, longestMinutes }, wanted.validUntil)
  }
  if (wanted.validUntil !== undefined && direction) checkDirection(locked, wanted.validUntil, direction)
  await updateVoucher(tx, voucher, wanted)
  if (wanted.validUntil !== undefined) await moveScheduledWithdrawal(tx, voucher, wanted.validUntil)
  const targetId = publicId(voucher)
  const { difference, details } = withoutGuestData(locked, wanted)
  await recordChange(tx, actor, { action: 'voucher.changed', targetKind: 'voucher', targetId, details }, difference)
}

function checkIsLive(voucher: LockedVoucher): void {
  if (isOver(voucher.now, voucher) || voucher.erasedAt) throw new DomainError('voucher_ended')
  if (voucher.isBeingRevoked) throw new DomainError('voucher_being_revoked')
}

/** True if nothing of the voucher can be changed any more. */
export function isOver(now: Date, voucher: Pick<LockedVoucher, 'status' | 'expiresAt'>): boolean {
  const status = statusAt(now, voucher)
  const { expiresAt } = voucher
  return (expiresAt !== null && expiresAt <= now) || status === 'expired' || status === 'revoked'
}

function checkEnd(voucher: LockedVoucher & WithEnd, validUntil: Date | null): void {
  const problem = endProblem(voucher.now, voucher, validUntil)
  if (!problem) return
  const isLimit = problem === 'valid_until_beyond_limit'
  const latest = isLimit ? latestAllowed(voucher) : latestValidUntil(voucher.now, voucher)
  const max = voucher.longestMinutes
  throw new DomainError(problem, { details: { ...(latest && { latest: latest.toISOString() }), ...(max && { max }) } })
}

/** `longestMinutes`: the longest duration that the limits of the actor and the site allow. */
type WithEnd = Parameters<typeof latestValidUntil>[1] & {
  validUntil: Date | null
  createdAt: Date
  longestMinutes: number | null
}

export type EndProblem = 'valid_until_passed' | 'valid_until_too_late' | 'valid_until_beyond_limit'

/**
 * The error with which a change to this end is rejected; null is no end. An end that is not later than the present one is never too
 * late.
 */
export function endProblem(now: Date, voucher: WithEnd, validUntil: Date | null): EndProblem | undefined {
  if (validUntil === null) return lastsTooLong(voucher) ? 'valid_until_beyond_limit' : undefined
  if (validUntil.getTime() < now.getTime() + 60_000) return 'valid_until_passed'
  if (voucher.validUntil !== null && validUntil <= voucher.validUntil) return undefined
  const latest = latestValidUntil(now, voucher)
  if (latest !== null && validUntil > latest) return 'valid_until_too_late'
  const allowed = latestAllowed(voucher)
  return voucher.validUntil !== null && allowed !== null && validUntil > allowed
    ? 'valid_until_beyond_limit'
    : undefined
}

/** Whether the minutes of a voucher are more than its limits allow, when it no longer has an end. */
function lastsTooLong({ validUntil, expireMinutes, longestMinutes }: WithEnd): boolean {
  return validUntil !== null && longestMinutes !== null && expireMinutes > longestMinutes
}

/** The latest end that the limits allow; null if there is no limit. A stay counts from its creation. */
export function latestAllowed({ createdAt, longestMinutes }: WithEnd): Date | null {
  return longestMinutes === null ? null : latestEnd(createdAt, longestMinutes)
}

/** The voucher is locked, so the present end is the one that the change replaces, whatever the client has seen. */
function checkDirection(voucher: LockedVoucher, validUntil: Date | null, direction: Direction): void {
  const end = endOf({ ...voucher, revokedAt: null })
  if (directionOf(end, validUntil) === direction) return
  if (end === null) throw new DomainError(direction === 'later' ? 'no_end_to_move_later' : 'no_end_to_remove')
  const code = direction === 'later' ? 'valid_until_not_later' : 'valid_until_not_earlier'
  throw new DomainError(code, { details: { end: end.toISOString() } })
}

/** Where a new end is, seen from the present one; undefined if it is the same. Null is an end that never comes. */
export function directionOf(end: Date | null, next: Date | null): Direction | undefined {
  const [before, after] = [end, next].map((at) => at?.getTime() ?? Number.POSITIVE_INFINITY) as [number, number]
  if (before === after) return undefined
  return after > before ? 'later' : 'earlier'
}
