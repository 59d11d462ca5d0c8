import type { Queryable } from '#db/database.ts'
import type { KeyedHashes, PlainHash } from '../idempotency.ts'

/** The text that replaces an erased name. It has no date. */
const erasedName = '–'

/** SQL: the name on the controller of an erased row. It keeps its date, so API v1 still shows the day of issue. */
export const erasedControllerNameSql = `coalesce(substring(controller_name from '^\\d{4}-\\d\\d-\\d\\d_'), '') || '${erasedName}'`

/**
 * SQL: the voucher works no longer and will not be used again. A used voucher without a recorded end counts as if it had been used
 * right after its creation.
 */
export const hasEndedSql = `(status in ('expired', 'revoked')
  or coalesce(expires_at, case status when 'used' then created_at + make_interval(mins => expire_minutes) end, 'infinity') <= now())`

/** A voucher and the rows that were made with it, before any of them is locked. */
export type ErasableVoucher = { id: string; creationId: string | null; batchId: string | null }

const erasableVouchersSql = `select id, creation_id as "creationId", batch_id as "batchId" from vouchers
  where site_id = $1 and id = any ($2::uuid[]) and erased_at is null and ${hasEndedSql}`

export async function listErasableVouchers(db: Queryable, siteId: number, ids: string[]): Promise<ErasableVoucher[]> {
  const { rows } = await db.query<ErasableVoucher>(erasableVouchersSql, [siteId, ids])
  return rows
}

/** A creation of a voucher, or an earlier attempt at it. `creationId` is the creation that got the voucher. */
export type LockedCreation = PlainHash & { creationId: string }

/**
 * Locks the settled creations of vouchers and their earlier attempts. Attempts whose voucher may still come are left out: they are
 * deleted a day after they were given up.
 */
export async function lockCreations(tx: Queryable, siteId: number, creationIds: string[]): Promise<LockedCreation[]> {
  const { rows } = await tx.query<LockedCreation>(
    `with recursive attempts as (
       select id as first_id, id from creations where site_id = $1 and id = any ($2::uuid[])
       union
       select attempts.first_id, earlier.id
         from attempts join creations earlier on earlier.site_id = $1 and earlier.superseded_by = attempts.id
     )
     select c.id, c.request_hash as "requestHash", (select first_id from attempts where attempts.id = c.id limit 1) as "creationId"
       from creations c
      where c.site_id = $1 and c.id in (select id from attempts) and ${isErasableCreationSql}
      order by c.id for update of c`,
    [siteId, creationIds],
  )
  return rows
}

/** SQL: creation `c` is settled, no voucher of it can come any more, and it was not erased yet. */
const isErasableCreationSql = `c.settled_at is not null and c.state <> 'absent' and c.request_hash_key is null`

/** Locks those of these vouchers that have ended and were not erased yet, by id (see "Lock order" in README.md). */
export async function lockEndedVouchers(tx: Queryable, siteId: number, ids: string[]): Promise<ErasableVoucher[]> {
  const { rows } = await tx.query<ErasableVoucher>(`${erasableVouchersSql} order by id for update`, [siteId, ids])
  return rows
}

/** Erases everything that was typed about the guest. The answer of a creation has no name, so a repeat still gets it. */
export async function updateCreationsErased(
  tx: Queryable,
  siteId: number,
  { ids, hashes, keyId }: KeyedHashes,
): Promise<number> {
  if (ids.length === 0) return 0
  const { rowCount } = await tx.query(
    `update creations c
        set controller_name = ${erasedControllerNameSql}, note = null, reference = null, request_hash = erased.hash,
            request_hash_key = $4
       from unnest($2::uuid[], $3::bytea[]) as erased (id, hash)
      where c.site_id = $1 and c.id = erased.id and ${isErasableCreationSql}`,
    [siteId, ids, hashes, keyId],
  )
  return rowCount ?? 0
}

/** Erases locked vouchers. The row, its code, its times and its counts stay. */
export async function updateVouchersErased(tx: Queryable, siteId: number, ids: string[]): Promise<void> {
  await tx.query(
    `update vouchers
        set name = '${erasedName}', controller_name = ${erasedControllerNameSql}, reference = null, erased_at = now()
      where site_id = $1 and id = any ($2::uuid[])`,
    [siteId, ids],
  )
}

/** Marks vouchers that still work: they are erased when they have ended. */
export async function updateVouchersMarked(
  tx: Queryable,
  siteId: number,
  ids: string[],
  erasureId: string,
): Promise<void> {
  await tx.query(
    `with locked as (
       select id from vouchers where site_id = $1 and id = any ($2::uuid[]) and erased_at is null order by id for update
     )
     update vouchers set erasure_id = $3 from locked where site_id = $1 and vouchers.id = locked.id`,
    [siteId, ids, erasureId],
  )
}
