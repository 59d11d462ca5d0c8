import type { Queryable } from '#db/database.ts'
import type { SiteItem } from '../public-id.ts'
import type { EventVoucher } from '../webhooks/notification.ts'
import type { RowState } from './batch.ts'

export async function insertBatchRows(tx: Queryable, { siteId, id }: SiteItem, names: string[]): Promise<void> {
  await tx.query(
    `insert into batch_rows (site_id, batch_id, number, controller_name)
     select $1, $2, number, name from unnest($3::text[]) with ordinality as asked (name, number)`,
    [siteId, id, names],
  )
}

/**
 * Sets rows to waiting after a call that certainly made nothing, or to cancelled if they were revoked. Counts no
 * attempt.
 */
export async function updateRowsWaiting(db: Queryable, { siteId, id }: SiteItem, creationIds: string[]): Promise<void> {
  await db.query(
    `update batch_rows r
        set state = case when c.revoked_at is null then 'waiting' else 'cancelled' end, attempts = attempts - 1
       from creations c
      where r.site_id = $1 and r.batch_id = $2 and r.creation_id = any ($3) and r.state = 'sent'
        and c.site_id = $1 and c.id = r.creation_id`,
    [siteId, id, creationIds],
  )
}

/** Fails these rows, or all rows that wait. */
export async function updateRowsFailed(
  db: Queryable,
  { siteId, id }: SiteItem,
  failure: string,
  creationIds?: string[],
): Promise<void> {
  await db.query(
    `update batch_rows set state = 'failed', failure = $3
      where site_id = $1 and batch_id = $2
        and (state = 'waiting' and $4::uuid[] is null or state = 'sent' and creation_id = any ($4))`,
    [siteId, id, failure, creationIds ?? null],
  )
}

/** Sets failed and cancelled rows to waiting. Returns how many. */
export async function updateRowsRetried(tx: Queryable, { siteId, id }: SiteItem): Promise<number> {
  const { rowCount } = await tx.query(
    `update batch_rows set state = 'waiting', attempts = 0, failure = null
      where site_id = $1 and batch_id = $2 and state in ('failed', 'cancelled')`,
    [siteId, id],
  )
  return rowCount ?? 0
}

/** Cancels the rows that wait, if the batch is still cancelled. The caller holds the lock of the batch. */
export async function updateRowsCancelled(tx: Queryable, { siteId, id }: SiteItem): Promise<void> {
  await tx.query(
    `update batch_rows r set state = 'cancelled', attempts = 0, failure = null
       from batches b
      where b.site_id = $1 and b.id = $2 and b.cancelled_at is not null
        and r.site_id = $1 and r.batch_id = $2 and r.state = 'waiting'`,
    [siteId, id],
  )
}

/** Takes the vouchers that were not notified yet. From now on they count as notified. */
export async function takeUnnotifiedVouchers(tx: Queryable, { siteId, id }: SiteItem): Promise<EventVoucher[]> {
  const { rows } = await tx.query<EventVoucher>(
    `update batch_rows set notified = true
      where site_id = $1 and batch_id = $2 and state = 'made' and not notified
     returning voucher_id as id,
       (select reference from vouchers where vouchers.site_id = $1 and vouchers.id = voucher_id) as reference`,
    [siteId, id],
  )
  return rows
}

/** A row with its voucher, if there is one. */
export type BatchRow = {
  number: number
  name: string
  state: RowState
  failure: string | null
  voucherId: string | null
  code: string | null
}

export async function listBatchRows(
  db: Queryable,
  { siteId, id }: SiteItem,
  options: { after: number; limit: number },
): Promise<BatchRow[]> {
  const { rows } = await db.query<BatchRow>(
    `select r.number, r.name, r.state, r.failure, r.voucher_id as "voucherId", v.code
       from batch_rows r left join vouchers v on v.site_id = $1 and v.id = r.voucher_id
      where r.site_id = $1 and r.batch_id = $2 and r.number > $3
      order by r.number
      limit $4`,
    [siteId, id, options.after, options.limit],
  )
  return rows
}
