import type { Queryable } from '#db/database.ts'
import { findHold } from '../hold.queries.ts'
import type { SiteItem } from '../public-id.ts'
import type { VoucherStatus } from './voucher.ts'

/** A voucher that is locked until the end of the transaction. */
export type LockedVoucher = {
  name: string
  reference: string | null
  status: VoucherStatus
  usedCount: number
  expireMinutes: number
  minutesCut: boolean
  expiresAt: Date | null
  validUntil: Date | null
  erasedAt: Date | null
  createdAt: Date
  /**
   * A withdrawal has begun or is due, and no recorded use prevents it. A withdrawal at `valid_until` that only waits for the end
   * of a hold does not count.
   */
  isBeingRevoked: boolean
  /** The time by the clock of the database, after the wait for the lock. */
  now: Date
}

/**
 * Locks a voucher, the version of its list, which a change sets, and its open withdrawals (see "Lock order" in README.md).
 * Until the transaction ends, no worker can begin one of these withdrawals.
 */
export async function lockVoucher(tx: Queryable, { siteId, id }: SiteItem): Promise<LockedVoucher | undefined> {
  const { rows } = await tx.query<Omit<LockedVoucher, 'isBeingRevoked' | 'now'>>(
    `select name, reference, status, used_count as "usedCount", expire_minutes as "expireMinutes", minutes_cut as "minutesCut",
            expires_at as "expiresAt", valid_until as "validUntil", created_at as "createdAt", erased_at as "erasedAt"
       from vouchers where site_id = $1 and id = $2 for update`,
    [siteId, id],
  )
  const [voucher] = rows
  if (!voucher) return undefined
  await tx.query('select from site_versions where site_id = $1 for no key update', [siteId])
  const { rows: states } = await tx.query<OpenWithdrawals>(
    `with open as materialized (
       select attempts, due_at, only_unused, reason from withdrawals
        where site_id = $1 and voucher_id = $2 and settled_at is null
          for update
     ), begun as (
       select attempts, reason from open where (attempts > 0 or due_at <= clock_timestamp()) and not (only_unused and $3)
     )
     select clock_timestamp() as now,
            exists (select from begun) as "someBegun",
            exists (select from begun where reason <> 'valid_until') as "othersBegun",
            exists (select from begun where reason = 'valid_until' and attempts > 0) as "endAttempted"`,
    [siteId, id, voucher.usedCount > 0],
  )
  const open = states[0] as OpenWithdrawals
  return { ...voucher, now: open.now, isBeingRevoked: open.someBegun && !(await isOnlyHeldEnd(tx, open)) }
}

/** The open withdrawals of a voucher that are due or were attempted. */
type OpenWithdrawals = {
  now: Date
  someBegun: boolean
  /** Whether a withdrawal that `valid_until` did not schedule is among them. */
  othersBegun: boolean
  /** Whether the withdrawal that `valid_until` scheduled was attempted. */
  endAttempted: boolean
}

/**
 * True when `valid_until` scheduled the only withdrawal and a hold prevents it. After a restore, recorded attempts do not count:
 * they were made before the backup, and none was made since. The hold is read after the withdrawals were locked. If there is a
 * hold then, no worker has taken them since it began.
 */
async function isOnlyHeldEnd(tx: Queryable, { othersBegun, endAttempted }: OpenWithdrawals): Promise<boolean> {
  if (othersBegun) return false
  const hold = await findHold(tx)
  return hold !== undefined && (hold.reason === 'restored' || !endAttempted)
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
     values ($1, uuid_v7(), $2, 'valid_until', $3, $3)`,
    [siteId, id, dueAt],
  )
}
