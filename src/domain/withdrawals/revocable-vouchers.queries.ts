import type { Queryable } from '#db/database.ts'
import type { SiteItem } from '../public-id.ts'
import { pageConditions, type VoucherFilter } from '../vouchers/voucher-filter.ts'

/** The vouchers that exist. Whether they can still be withdrawn is decided when the worker gets to them. */
export async function listExistingVouchers(db: Queryable, places: SiteItem[]): Promise<SiteItem[]> {
  const { rows } = await db.query<SiteItem>(
    `select vouchers.site_id as "siteId", vouchers.id
       from unnest($1::integer[], $2::uuid[]) as wanted (site_id, id)
       join vouchers on vouchers.site_id = wanted.site_id and vouchers.id = wanted.id`,
    [places.map(({ siteId }) => siteId), places.map(({ id }) => id)],
  )
  return rows
}

export type RevocationFilter = Omit<VoucherFilter, 'status' | 'after'>

/** Matching vouchers that can still be withdrawn. A used voucher can be, while its minutes run. */
export async function listRevocableVouchers(
  tx: Queryable,
  sites: number[] | 'all',
  filter: RevocationFilter,
  limit: number,
): Promise<SiteItem[]> {
  const { values, bind, where } = conditions(sites, filter, [limit])
  const { rows } = await tx.query<SiteItem>(
    `select site_id as "siteId", id from vouchers
      where code <> '' and status in ('valid', 'used') and (expires_at is null or expires_at > ${bind(filter.now)})
        and ${where}
      limit $1`,
    values,
  )
  return rows
}

/**
 * Marks matching creations whose outcome is unknown or that may still get a late voucher. Any voucher recorded for them later is
 * withdrawn. Returns the creations that are not settled. If another process is recording a creation, this statement waits, and the
 * statement that lists vouchers then finds the voucher. If a creation of a batch is rejected during the wait, it is marked too, so
 * that its row is not sent again.
 */
export async function updateCreationsRevoked(
  tx: Queryable,
  sites: number[] | 'all',
  filter: RevocationFilter,
): Promise<SiteItem[]> {
  if (filter.codePrefix !== undefined) return [] // a creation without a voucher has no code
  const { values, where } = conditions(sites, { ...filter, createdAfter: undefined }) // their vouchers are recorded later
  const { rows } = await tx.query<SiteItem & { isUnsettled: boolean }>(
    `with fitting as (
       select site_id, id from (select *, sent_at as created_at, 0 as used_count from creations) as known
        where (settled_at is null or state = 'absent') and ${where}
     ), locked as (
       select c.site_id, c.id from creations c join fitting using (site_id, id)
        where c.settled_at is null or c.state = 'absent' or (c.state = 'rejected' and c.batch_id is not null)
        order by c.site_id, c.id for update of c
     )
     update creations c
        set revoked_at = coalesce(revoked_at, now()), revoked_only_unused = ${onlyUnusedNow(filter)}
       from locked
      where c.site_id = locked.site_id and c.id = locked.id
     returning c.site_id as "siteId", c.id, c.settled_at is null as "isUnsettled"`,
    values,
  )
  return rows.filter(({ isUnsettled }) => isUnsettled).map(({ siteId, id }) => ({ siteId, id }))
}

/**
 * Marks matching creations that were rejected while their row still counts as sent, so that the row is not sent again. Looks only
 * in the locked batches. Other code locks a rejected creation only while it holds the lock of the batch.
 */
export async function updateRejectedCreationsRevoked(
  tx: Queryable,
  locked: SiteItem[],
  sites: number[] | 'all',
  filter: RevocationFilter,
): Promise<void> {
  if (locked.length === 0) return
  const { values, bind, where } = conditions(sites, filter)
  await tx.query(
    `update creations c set revoked_at = now(), revoked_only_unused = ${onlyUnusedNow(filter)}
       from (${rowsOfOpenBatches} where row_state = 'sent' and ${isIn(locked, bind)} and ${where}) as sent
      where c.site_id = sent.site_id and c.id = sent.creation_id and c.state = 'rejected' and c.revoked_at is null`,
    values,
  )
}

/** Rows of open batches, with the columns that a filter may use. */
const rowsOfOpenBatches = `select site_id, batch_id, number, creation_id
  from (select r.site_id, r.batch_id, r.number, r.creation_id, r.state as row_state, r.name, b.reference, b.api_key_id,
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
  const { values, where } = conditions(sites, filter)
  const { rows } = await tx.query<SiteItem>(
    `select site_id as "siteId", id from batches
      where (site_id, id) in (
        select site_id, batch_id from (${rowsOfOpenBatches} where row_state in ('waiting', 'sent') and ${where}) as fitting)
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
  const { values, bind, where } = conditions(sites, filter)
  await tx.query(
    `with cancelled as (
       update batch_rows r set state = 'cancelled', failure = null
         from (${rowsOfOpenBatches} where row_state = 'waiting' and ${isIn(locked, bind)} and ${where}) as fitting
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

/** SQL: a row belongs to one of these batches. */
function isIn(batches: SiteItem[], bind: (value: unknown) => string): string {
  const [siteIds, ids] = [batches.map(({ siteId }) => siteId), batches.map(({ id }) => id)]
  return `(site_id, batch_id) in (select * from unnest(${bind(siteIds)}::integer[], ${bind(ids)}::uuid[]))`
}

/** A creation that was once revoked without a condition stays so. */
function onlyUnusedNow({ unused = false }: RevocationFilter): string {
  return unused ? '(revoked_at is null or revoked_only_unused)' : 'false'
}

/** Conditions of a filter; the same for vouchers, creations and rows of batches. */
function conditions(sites: number[] | 'all', filter: RevocationFilter, values: unknown[] = []) {
  const bind = (value: unknown) => `$${values.push(value)}`
  const [fits = []] = pageConditions(filter, bind)
  const ofSites = sites === 'all' ? [] : [`site_id = any (${bind(sites)}::integer[])`]
  return { values, bind, where: [...ofSites, ...fits].join(' and ') || 'true' }
}
