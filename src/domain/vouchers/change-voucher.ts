import type { Database, Queryable } from '#db/database.ts'
import { changed, recordChange } from '../audit/record-audit.ts'
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
import { latestValidUntil, statusAt } from '../record/voucher.ts'
import { onceInTransaction } from '../remembered-requests.ts'

export type ChangeRequest = RepeatableRequest & { voucher: SiteItem; change: VoucherChange }

/**
 * Changes the name, the reference and the end of a voucher in the record. The controller is not called: the service itself
 * withdraws the voucher at its end. If a withdrawal has begun, the change is rejected. A committed change moves the withdrawal
 * before it can begin. So the two never contradict each other.
 */
export async function changeVoucher(db: Database, request: ChangeRequest): Promise<{ isRepeat: boolean }> {
  const { isRepeat } = await onceInTransaction(db, 'change voucher', request, async (tx) => {
    await change(tx, request)
    return {}
  })
  return { isRepeat }
}

async function change(tx: Queryable, { actor, voucher, change: wanted }: ChangeRequest): Promise<void> {
  const locked = await lockVoucher(tx, voucher)
  if (!locked) throw new DomainError('voucher_not_found')
  checkIsLive(locked)
  if (wanted.validUntil) checkEnd(locked, wanted.validUntil)
  await updateVoucher(tx, voucher, wanted)
  if (wanted.validUntil !== undefined) await moveScheduledWithdrawal(tx, voucher, wanted.validUntil)
  const targetId = publicId(voucher)
  const entry = { action: 'voucher.changed', targetKind: 'voucher', targetId, details: { name: locked.name } }
  await recordChange(tx, actor, entry, changed(locked, wanted))
}

function checkIsLive(voucher: LockedVoucher): void {
  const status = statusAt(voucher.now, voucher)
  const isOver = voucher.expiresAt !== null && voucher.expiresAt <= voucher.now
  if (isOver || status === 'expired' || status === 'revoked') throw new DomainError('voucher_ended')
  if (voucher.isBeingRevoked) throw new DomainError('voucher_being_revoked')
}

/** An end that is not later than the present one is never too late. */
function checkEnd(voucher: LockedVoucher, validUntil: Date): void {
  if (validUntil.getTime() < voucher.now.getTime() + 60_000) throw new DomainError('valid_until_passed')
  if (voucher.validUntil !== null && validUntil <= voucher.validUntil) return
  const latest = latestValidUntil(voucher.now, voucher)
  if (latest !== null && validUntil > latest)
    throw new DomainError('valid_until_too_late', { details: { latest: latest.toISOString() } })
}
