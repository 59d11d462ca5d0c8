import type { Queryable } from '#db/database.ts'
import type { SiteItem } from '../public-id.ts'
import type { VoucherStatus } from '../vouchers/voucher.ts'

/** A voucher that is locked until the end of the transaction. */
export type LockedVoucher = {
  status: VoucherStatus
  usedCount: number
  expireMinutes: number
  minutesCut: boolean
  expiresAt: Date | null
  validUntil: Date | null
  /** A withdrawal has begun or is due, and it does not depend on a use that the record already knows. */
  isBeingRevoked: boolean
  /** The time by the clock of the database, after the wait for the lock. */
  now: Date
}

/**
 * Locks a voucher and its open withdrawals, in this order, like everything that locks both. Afterwards no worker can begin one of
 * these withdrawals before the end of the transaction.
 */
export async function lockVoucher(tx: Queryable, { siteId, id }: SiteItem): Promise<LockedVoucher | undefined> {
  const { rows } = await tx.query<Omit<LockedVoucher, 'isBeingRevoked' | 'now'>>(
    `select status, used_count as "usedCount", expire_minutes as "expireMinutes", minutes_cut as "minutesCut",
            expires_at as "expiresAt", valid_until as "validUntil"
       from vouchers where site_id = $1 and id = $2 for update`,
    [siteId, id],
  )
  const [voucher] = rows
  if (!voucher) return undefined
  const { rows: withdrawals } = await tx.query<{ isBeingRevoked: boolean; now: Date }>(
    `with open as materialized (
       select attempts, due_at, only_unused from withdrawals
        where site_id = $1 and voucher_id = $2 and settled_at is null
          for update
     )
     select clock_timestamp() as now,
            exists (select from open
                     where (attempts > 0 or due_at <= clock_timestamp()) and not (only_unused and $3)) as "isBeingRevoked"`,
    [siteId, id, voucher.usedCount > 0],
  )
  return { ...voucher, ...(withdrawals[0] as (typeof withdrawals)[number]) }
}

/** The new values. A value that is undefined stays as it is. */
export type VoucherChange = {
  name?: string | undefined
  reference?: string | null | undefined
  validUntil?: Date | null | undefined
}

export async function updateVoucher(tx: Queryable, { siteId, id }: SiteItem, change: VoucherChange): Promise<void> {
  const { name, reference, validUntil } = change
  await tx.query(
    `update vouchers
        set name = coalesce($3, name),
            reference = case when $4 then $5 else reference end,
            valid_until = case when $6 then $7 else valid_until end
      where site_id = $1 and id = $2`,
    [
      siteId,
      id,
      name ?? null,
      reference !== undefined,
      reference ?? null,
      validUntil !== undefined,
      validUntil ?? null,
    ],
  )
}

/** Moves the scheduled withdrawal of a voucher to this time; null removes it. */
export async function moveScheduledWithdrawal(
  tx: Queryable,
  { siteId, id }: SiteItem,
  dueAt: Date | null,
): Promise<void> {
  await tx.query(
    `delete from withdrawals where site_id = $1 and voucher_id = $2 and reason = 'valid_until' and settled_at is null`,
    [siteId, id],
  )
  if (dueAt === null) return
  await tx.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
     values ($1, gen_random_uuid(), $2, 'valid_until', $3, $3)`,
    [siteId, id, dueAt],
  )
}
