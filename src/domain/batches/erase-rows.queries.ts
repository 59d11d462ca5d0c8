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

/** Erases the rows of these vouchers in locked batches. Returns how many. */
export async function updateRowsOfVouchersErased(
  tx: Queryable,
  siteId: number,
  batchIds: string[],
  { voucherIds, creationIds }: { voucherIds: string[]; creationIds: string[] },
): Promise<number> {
  const { rowCount } = await tx.query(
    `update batch_rows set controller_name = ${erasedControllerNameSql}, reference = null, message_counters = null, erased_at = now()
      where site_id = $1 and batch_id = any ($2::uuid[]) and erased_at is null
        and (voucher_id = any ($3::uuid[]) or creation_id = any ($4::uuid[]))`,
    [siteId, batchIds, voucherIds, creationIds],
  )
  return rowCount ?? 0
}

/** Lists the locked batches whose rows are all erased, and whose reference and hash are not. */
export async function listBatchesToErase(tx: Queryable, siteId: number, ids: string[]): Promise<PlainHash[]> {
  const { rows } = await tx.query<PlainHash>(
    `select id, request_hash as "requestHash" from batches b
      where site_id = $1 and id = any ($2::uuid[]) and request_hash_key is null
        and not exists (select from batch_rows r where r.site_id = $1 and r.batch_id = b.id and r.erased_at is null)`,
    [siteId, ids],
  )
  return rows
}

/** Removes Idempotency-Keys too that no repeat uses any more. */
export async function updateBatchesErased(
  tx: Queryable,
  siteId: number,
  { ids, hashes, keyId }: KeyedHashes,
): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `update batches b
        set reference = null, request_hash = erased.hash, request_hash_key = $4,
            idempotency_key = case when created_at > now() - interval '24 hours' then idempotency_key end
       from unnest($2::uuid[], $3::bytea[]) as erased (id, hash)
      where b.site_id = $1 and b.id = erased.id`,
    [siteId, ids, hashes, keyId],
  )
}
