import type { Queryable } from '#db/database.ts'
import type { SiteItem } from '../public-id.ts'
import { bindFilter, type RevocationFilter } from '../record/revocation-filter.ts'
import { valuesOfRowSql } from './batch-rows.queries.ts'

/** Rows of open batches, with the columns that a filter may use. */
const rowsOfOpenBatchesSql = `select site_id, batch_id, number, creation_id
  from (select r.site_id, r.batch_id, r.number, r.creation_id, r.state as row_state, r.name,
               ${valuesOfRowSql.reference} as reference, b.api_key_id,
               b.staff_id, now() as created_at, 0 as used_count
          from batches b join batch_rows r on r.site_id = b.site_id and r.batch_id = b.id
         where b.finished_at is null) as row_of_batch`

/**
 * Locks the batches of all matching rows that are not made yet: until the end of the transaction none of these rows is sent or
 * goes back to waiting. A batch that is added or retried after this statement is not covered by the revocation.
 */
export async function lockFittingBatches(
  tx: Queryable,
  sites: number[] | 'all',
  filter: RevocationFilter,
): Promise<SiteItem[]> {
  if (filter.codePrefix !== undefined) return [] // a row without a voucher has no code
  const { values, where } = bindFilter(sites, filter)
  const { rows } = await tx.query<SiteItem>(
    `select site_id as "siteId", id from batches
      where (site_id, id) in (
        select site_id, batch_id from (${rowsOfOpenBatchesSql} where row_state in ('waiting', 'sent') and ${where}) as fitting)
      order by site_id, id for no key update`,
    values,
  )
  return rows
}

/**
 * Cancels the matching rows of the locked batches that were not sent yet, and makes these batches due, so that the worker ends
 * them. Rows of any other batch may be locked by a worker that waits for this transaction.
 */
export async function cancelFittingRows(
  tx: Queryable,
  locked: SiteItem[],
  sites: number[] | 'all',
  filter: RevocationFilter,
): Promise<void> {
  if (locked.length === 0) return
  const { values, bind, where } = bindFilter(sites, filter)
  await tx.query(
    `with cancelled as (
       update batch_rows r set state = 'cancelled', failure = null
         from (${rowsOfOpenBatchesSql} where row_state = 'waiting' and ${isInSql(locked, bind)} and ${where}) as fitting
        where r.site_id = fitting.site_id and r.batch_id = fitting.batch_id and r.number = fitting.number
          and r.state = 'waiting'
       returning r.site_id, r.batch_id
     )
     update batches b set next_run_at = now()
       from (select distinct site_id, batch_id from cancelled) as touched
      where b.site_id = touched.site_id and b.id = touched.batch_id`,
    values,
  )
}

/** The creations of matching rows of the locked batches that count as sent. */
export async function listSentCreations(
  tx: Queryable,
  locked: SiteItem[],
  sites: number[] | 'all',
  filter: RevocationFilter,
): Promise<SiteItem[]> {
  if (locked.length === 0) return []
  const { values, bind, where } = bindFilter(sites, filter)
  const { rows } = await tx.query<SiteItem>(
    `select site_id as "siteId", creation_id as id
       from (${rowsOfOpenBatchesSql} where row_state = 'sent' and ${isInSql(locked, bind)} and ${where}) as sent`,
    values,
  )
  return rows
}

/** SQL: a row belongs to one of these batches. */
function isInSql(batches: SiteItem[], bind: (value: unknown) => string): string {
  const [siteIds, ids] = [batches.map(({ siteId }) => siteId), batches.map(({ id }) => id)]
  return `(site_id, batch_id) in (select * from unnest(${bind(siteIds)}::integer[], ${bind(ids)}::uuid[]))`
}
