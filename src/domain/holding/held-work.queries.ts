import type { Queryable } from '#db/database.ts'

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

/** UUIDv7 ids sort by time, so one index range per site finds the vouchers that were recorded since the hold began. */
export async function findHeldWork(db: Queryable, since: Date): Promise<HeldWork> {
  const { rows } = await db.query<HeldWork>(
    `select (select count(*)::integer
               from sites s, lateral (
                 select from vouchers v where v.site_id = s.id and v.id >= encode(
                   overlay('\\x00000000000000000000000000000000'::bytea
                     placing substring(int8send(floor(extract(epoch from $1::timestamptz) * 1000)::bigint) from 3) from 1 for 6),
                   'hex')::uuid and v.imported_at is null) as v) as adopted,
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
