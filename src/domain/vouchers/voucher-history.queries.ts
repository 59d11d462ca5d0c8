import type { Queryable } from '#db/database.ts'
import type { Disconnection } from '#drivers/driver.ts'
import type { Actor, Maker } from '../actor.ts'
import { makerSql } from '../keys/keys.queries.ts'
import { publicId, type SiteItem } from '../public-id.ts'
import type { WithdrawalOutcome } from '../record/due-withdrawals.queries.ts'
import type { GuestField } from '../record/guest-fields.ts'
import type { WithdrawalReason } from '../record/withdrawals.queries.ts'

/** More changes than anybody makes by hand. If a program made more, only the newest are listed. */
const maxRows = 100

export type AuditedChange = {
  at: Date
  actor: { kind: Actor['kind']; name: string }
  change: { validUntil?: string | null }
  /** Fields of the guest that changed. Their values are not recorded. */
  guestFields: GuestField[]
}

/** The changes of a voucher from the audit, newest first. Version 0.1.0 recorded names; they are left out. */
export async function listVoucherChanges(db: Queryable, voucher: SiteItem): Promise<AuditedChange[]> {
  const { rows } = await db.query<AuditedChange>(
    `select at, json_build_object('kind', actor_kind, 'name', actor_name) as actor, 
            coalesce(stripped -> 'changes', stripped) as change, coalesce(stripped -> 'guestFields', '[]') as "guestFields"
       from audit, audit_without_guest_data(action, details) as stripped
      where target_kind = 'voucher' and target_id = $1 and action = 'voucher.changed'
      order by at desc, id desc
      limit $2`,
    [publicId(voucher), maxRows],
  )
  return rows
}

export type VoucherWithdrawal = {
  reason: WithdrawalReason
  dueAt: Date
  outcome: WithdrawalOutcome | null
  failure: string | null
  disconnected: Disconnection | null
  /** When somebody requested it, and who; null if it was scheduled. */
  requestedAt: Date | null
  requestedBy: Maker | null
}

/** The withdrawals of a voucher that have begun, newest first. Old ones that nobody requested are deleted after a week. */
export async function listVoucherWithdrawals(db: Queryable, { siteId, id }: SiteItem): Promise<VoucherWithdrawal[]> {
  const { rows } = await db.query<VoucherWithdrawal>(
    `select w.reason, w.due_at as "dueAt", w.outcome, w.failure, w.disconnected, r.created_at as "requestedAt",
            ${makerSql('r')} as "requestedBy"
       from withdrawals w left join revocations r on r.id = w.revocation_id
      where w.site_id = $1 and w.voucher_id = $2 and w.due_at <= now()
      order by w.due_at desc, w.id desc
      limit $3`,
    [siteId, id, maxRows],
  )
  return rows
}
