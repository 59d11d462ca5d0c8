import type { Queryable } from '#db/database.ts'

/**
 * The command that began the hold. `restored`: `restore`, with a backup of the time `backupTakenAt`. `command`: `hold`.
 */
export type Hold = { since: Date } & (
  | { reason: 'restored'; backupTakenAt: Date }
  | { reason: 'command'; backupTakenAt: null }
)

/**
 * SQL: the service is not held. Statements that begin work on a controller or a receiver contain it, so that no process
 * relies on an earlier answer. The table is empty in normal operation, so the check reads no row.
 */
export const isNotHeld = 'not exists (select from hold)'

export async function findHold(db: Queryable): Promise<Hold | undefined> {
  const { rows } = await db.query<Hold>('select since, reason, backup_taken_at as "backupTakenAt" from hold')
  return rows[0]
}

/** Inserts the hold. A restore replaces a hold that was in the backup; a command leaves an earlier hold and returns false. */
export async function insertHold(tx: Queryable, cause: Omit<Hold, 'since'>): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into hold (reason, backup_taken_at) values ($1, $2)
     on conflict (only_one) do update
       set since = now(), reason = excluded.reason, backup_taken_at = excluded.backup_taken_at
       where excluded.reason = 'restored'`,
    [cause.reason, cause.backupTakenAt],
  )
  return rowCount === 1
}

/** Deletes the hold that began at this time. False when it had ended before. */
export async function deleteHold(tx: Queryable, since: Date): Promise<boolean> {
  const { rowCount } = await tx.query('delete from hold where since = $1', [since])
  return rowCount === 1
}

/** Restarts the time after which the rows of a held-up batch fail. */
export async function updateHeldUpBatches(tx: Queryable): Promise<void> {
  await tx.query('update batches set held_up_since = now() where finished_at is null and held_up_since is not null')
}

/** Restarts the time after which a failing webhook is disabled. */
export async function updateFailingWebhooks(tx: Queryable): Promise<void> {
  await tx.query('update webhooks set failing_since = now() where disabled_at is null and failing_since is not null')
}

/** Makes every active site due for a sync now. */
export async function updateSitesDueForSync(tx: Queryable): Promise<void> {
  await tx.query('update sites set next_sync_at = now() where active')
}

/** Work that waits for the end of the hold, and what sync and `reconcile` found on the controllers since it began. */
export type HeldWork = {
  /** Vouchers that sync or `reconcile` adopted since the hold began. */
  adopted: number
  /** Vouchers that this service seems to have made, and that are still not in the record. */
  unrecorded: number
  /** The numbers of active sites that were not synced without an error since the hold began. */
  unsyncedSites: number[]
  unsettledCreations: number
  openBatches: number
  rowsToMake: number
  dueWithdrawals: number
  /** The due withdrawals of stays that ended. */
  endedStays: number
  pendingDeliveries: number
}

/** The id of an adopted voucher begins with the time at which it was recorded, so those of each site since the hold are one range. */
export async function findHeldWork(db: Queryable, since: Date): Promise<HeldWork> {
  const { rows } = await db.query<HeldWork>(
    `select (select count(*)::integer
               from sites s, lateral (
                 select from vouchers v where v.site_id = s.id and v.id >= encode(
                   overlay('\\x00000000000000000000000000000000'::bytea
                     placing substring(int8send(floor(extract(epoch from $1::timestamptz) * 1000)::bigint) from 3) from 1 for 6),
                   'hex')::uuid) as v) as adopted,
            (select coalesce(sum(unrecorded), 0)::integer from sites where active) as unrecorded,
            (select coalesce(array_agg(id order by id), '{}') from sites
              where active and (synced_at is null or synced_at < $1 or sync_failure is not null)) as "unsyncedSites",
            (select count(*)::integer from creations where settled_at is null) as "unsettledCreations",
            (select count(*)::integer from batches where finished_at is null) as "openBatches",
            (select count(*)::integer
               from batches b join batch_rows r on r.site_id = b.site_id and r.batch_id = b.id
              where b.finished_at is null and r.state = 'waiting') as "rowsToMake",
            (select count(*)::integer from withdrawals where settled_at is null and due_at <= now()) as "dueWithdrawals",
            (select count(*)::integer from withdrawals
              where settled_at is null and due_at <= now() and reason = 'valid_until') as "endedStays",
            (select count(*)::integer from deliveries where state = 'pending') as "pendingDeliveries"`,
    [since],
  )
  return rows[0] as HeldWork
}
