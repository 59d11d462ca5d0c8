import type { Queryable } from '#db/database.ts'
import type { SiteItem } from '../public-id.ts'
import { eraseRowsSql } from './erase-rows.queries.ts'

/** Batches of a site that were finished more than `days` days ago and have rows that got no voucher and are not erased yet. */
export async function listBatchesToForget(
  db: Queryable,
  { siteId, days }: { siteId: number; days: number },
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select b.id from batches b
      where b.site_id = $1 and b.finished_at < now() - make_interval(days => $2)
        and b.id in (select batch_id from batch_rows
                      where site_id = $1 and state in ('failed', 'cancelled') and erased_at is null)
      order by b.finished_at, b.id limit $3`,
    [siteId, days, limit],
  )
  return rows.map(({ id }) => id)
}

/** Erases the rows without a voucher of locked batches that are still finished. Returns how many. */
export async function updateRowsWithoutVoucherErased(
  tx: Queryable,
  siteId: number,
  batchIds: string[],
): Promise<number> {
  const { rowCount } = await tx.query(
    `${eraseRowsSql}
      where r.site_id = $1 and r.batch_id = any ($2::uuid[]) and r.state in ('failed', 'cancelled') and r.erased_at is null
        and exists (select from batches b where b.site_id = $1 and b.id = r.batch_id and b.finished_at is not null)`,
    [siteId, batchIds],
  )
  return rowCount ?? 0
}

/**
 * Erases these rows of a locked batch, unless they are made or sent at this moment. A made row counts only if its voucher was deleted
 * after its time. Returns how many.
 */
export async function updateTheseRowsErased(
  tx: Queryable,
  { siteId, id }: SiteItem,
  numbers: number[],
): Promise<number> {
  const { rowCount } = await tx.query(
    `${eraseRowsSql}
      where r.site_id = $1 and r.batch_id = $2 and r.number = any ($3::integer[]) and r.erased_at is null
        and (r.state in ('failed', 'cancelled')
             or r.state = 'made' and not exists (select from vouchers v where v.site_id = $1 and v.id = r.voucher_id))`,
    [siteId, id, numbers],
  )
  return rowCount ?? 0
}
