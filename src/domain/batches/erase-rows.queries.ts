import type { Queryable } from '#db/database.ts'
import type { KeyedHashes, PlainHash } from '../idempotency.ts'
import { erasedControllerNameSql } from '../record/erase-vouchers.queries.ts'

/** Locks batches by id (see "Lock order" in domain/record/README.md). Until the end of the transaction, no row is sent. */
export async function lockBatches(tx: Queryable, siteId: number, ids: string[]): Promise<void> {
  await tx.query(`select from batches where site_id = $1 and id = any ($2::uuid[]) order by id for no key update`, [
    siteId,
    ids,
  ])
}

/** SQL that erases rows `r` of batches. The condition follows. */
export const eraseRowsSql = `update batch_rows r
    set controller_name = ${erasedControllerNameSql}, reference = null, message_counters = null, erased_at = now()`

/** Erases the rows of these vouchers in locked batches. Returns how many. */
export async function updateRowsOfVouchersErased(
  tx: Queryable,
  siteId: number,
  batchIds: string[],
  { voucherIds, creationIds }: { voucherIds: string[]; creationIds: string[] },
): Promise<number> {
  const { rowCount } = await tx.query(
    `${eraseRowsSql}
      where r.site_id = $1 and r.batch_id = any ($2::uuid[]) and r.erased_at is null
        and (r.voucher_id = any ($3::uuid[]) or r.creation_id = any ($4::uuid[]))`,
    [siteId, batchIds, voucherIds, creationIds],
  )
  return rowCount ?? 0
}

/**
 * Lists the locked batches with an erased row whose hash is still plain. It covers all rows, so somebody who reads the other rows could
 * guess the erased one.
 */
export async function listBatchesWithPlainHash(tx: Queryable, siteId: number, ids: string[]): Promise<PlainHash[]> {
  const { rows } = await tx.query<PlainHash>(
    `select id, request_hash as "requestHash" from batches b
      where site_id = $1 and id = any ($2::uuid[]) and request_hash_key is null
        and exists (select from batch_rows r where r.site_id = $1 and r.batch_id = b.id and r.erased_at is not null)`,
    [siteId, ids],
  )
  return rows
}

export async function updateBatchHashes(
  tx: Queryable,
  siteId: number,
  { ids, hashes, keyId }: KeyedHashes,
): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `update batches b set request_hash = erased.hash, request_hash_key = $4
       from unnest($2::uuid[], $3::bytea[]) as erased (id, hash)
      where b.site_id = $1 and b.id = erased.id`,
    [siteId, ids, hashes, keyId],
  )
}

/** SQL: all rows of the batch `b` are erased. */
const isErasedSql = `not exists (select from batch_rows r where r.site_id = b.site_id and r.batch_id = b.id and r.erased_at is null)`
/** SQL: repeats of the batch `b` are expected no longer. */
const isKeyOldSql = `b.created_at <= now() - interval '24 hours'`

/**
 * Erases the reference of the locked batches whose rows are all erased, and the Idempotency-Key if no repeat uses it any more. Returns
 * the ids of those that had one of them, or whose hash was replaced just before.
 */
export async function updateBatchesErased(
  tx: Queryable,
  siteId: number,
  { ids, keyedIds }: { ids: string[]; keyedIds: string[] },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `update batches b set reference = null, idempotency_key = case when not ${isKeyOldSql} then idempotency_key end
      where b.site_id = $1 and b.id = any ($2::uuid[]) and ${isErasedSql}
        and (b.reference is not null or (b.idempotency_key is not null and ${isKeyOldSql}) or b.id = any ($3::uuid[]))
     returning b.id`,
    [siteId, ids, keyedIds],
  )
  return rows.map(({ id }) => id)
}

/**
 * Removes the Idempotency-Keys of batches that were erased within their first day, when the day is over: a client may have put a
 * reference in them. Reads the batches that finished in the last 30 days. Returns how many.
 */
export async function updateKeysOfErasedBatches(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `update batches b set idempotency_key = null
      where b.finished_at > now() - interval '30 days' and ${isKeyOldSql}
        and b.idempotency_key is not null and b.request_hash_key is not null and ${isErasedSql}`,
  )
  return rowCount ?? 0
}
