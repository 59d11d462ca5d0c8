import type { Queryable } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { listMessages, type RecordedMessage } from '../messages/messages.queries.ts'
import type { RecordedVoucher } from '../record/voucher.ts'
import type { WithdrawalReason } from '../record/withdrawals.queries.ts'
import {
  type AuditedChange,
  listVoucherChanges,
  listVoucherWithdrawals,
  type VoucherWithdrawal,
} from './voucher-history.queries.ts'

type By = { kind: Actor['kind']; name: string } | null

/** `controller`: somebody deleted the voucher on the controller. */
export type RevokedReason = WithdrawalReason | 'controller'

export type HistoryEntry = { at: Date } & (
  | { type: 'created'; by: By }
  | { type: 'changed'; by: By; change: AuditedChange['change']; guestFields: AuditedChange['guestFields'] }
  | { type: 'first_used' }
  | { type: 'revocation_requested'; by: By; withdrawal: VoucherWithdrawal }
  | { type: 'revoked'; reason: RevokedReason }
  | { type: 'expired' }
  | { type: 'message'; by: By; message: RecordedMessage }
)

/** The history of a voucher, newest first: from the voucher itself, its changes in the audit, its withdrawals and the messages about it. */
export async function readVoucherHistory(db: Queryable, now: Date, voucher: RecordedVoucher): Promise<HistoryEntry[]> {
  const changes = await listVoucherChanges(db, voucher)
  const withdrawals = await listVoucherWithdrawals(db, voucher)
  const messages = await listMessages(db, voucher)
  const { createdAt, firstUsedAt, expiresAt, revokedAt, maker } = voucher
  const hasRunOut = expiresAt !== null && expiresAt <= now && (revokedAt === null || expiresAt <= revokedAt)
  const entries: HistoryEntry[] = [
    { type: 'created', at: createdAt, by: maker },
    ...(firstUsedAt ? [{ type: 'first_used' as const, at: firstUsedAt }] : []),
    ...changes.map(({ at, actor, change, guestFields }) => ({
      type: 'changed' as const,
      at,
      by: actor,
      change,
      guestFields,
    })),
    ...withdrawals.flatMap((withdrawal) =>
      withdrawal.requestedAt
        ? [
            {
              type: 'revocation_requested' as const,
              at: withdrawal.requestedAt,
              by: withdrawal.requestedBy,
              withdrawal,
            },
          ]
        : [],
    ),
    ...(revokedAt
      ? [{ type: 'revoked' as const, at: revokedAt, reason: reasonOf(voucher, revokedAt, withdrawals) }]
      : []),
    ...messages.map((message) => ({
      type: 'message' as const,
      at: message.settledAt ?? message.createdAt,
      by: message.maker,
      message,
    })),
    ...(hasRunOut ? [{ type: 'expired' as const, at: expiresAt }] : []),
  ]
  return entries.reverse().toSorted((a, b) => b.at.getTime() - a.at.getTime())
}

/**
 * The reason for a revocation. The row of a scheduled withdrawal is deleted after a week; then the times of the voucher
 * show the reason. A voucher that is revoked without any of these reasons was deleted on the controller.
 */
function reasonOf(voucher: RecordedVoucher, revokedAt: Date, withdrawals: VoucherWithdrawal[]): RevokedReason {
  const earlier = withdrawals.filter(({ dueAt }) => dueAt <= revokedAt)
  const known =
    earlier.find(({ outcome }) => outcome === 'revoked') ?? earlier.find(({ outcome }) => outcome === 'ended')
  if (known) return known.reason
  if (voucher.validUntil !== null && voucher.validUntil <= revokedAt) return 'valid_until'
  if (voucher.unusedUntil !== null && voucher.unusedUntil <= revokedAt && voucher.usedCount === 0) return 'unused'
  return 'controller'
}
