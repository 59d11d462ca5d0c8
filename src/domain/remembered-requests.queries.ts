import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import { actorReference, type Requester } from './actor.ts'
import type { EarlierRequest, KeyedHashes, PlainHash, StoredHash } from './idempotency.ts'

/** How long an Idempotency-Key is remembered. */
const rememberedForSql = `interval '24 hours'`

/** A request that is remembered by its Idempotency-Key. Each operation has its own keys. */
export type RequestKey = { actor: Requester; operation: string; idempotencyKey: string }

/** The operation that changes a voucher. Its contents may have the name of a guest. */
export const changeVoucherOperation = 'change voucher'

export async function findEarlierRequest<T extends object>(
  db: Queryable,
  { actor, operation, idempotencyKey }: RequestKey,
): Promise<EarlierRequest<T> | undefined> {
  const { rows } = await db.query<StoredHash & { outcome: T }>(
    `select request_hash as "requestHash", request_hash_key as "requestHashKey", result as outcome from remembered_requests
      where actor = $1 and operation = $2 and idempotency_key = $3 and created_at > now() - ${rememberedForSql}`,
    [actorReference(actor), operation, idempotencyKey],
  )
  return rows[0]
}

/** False when the Idempotency-Key belongs to another request, after waiting for a transaction that inserts it. */
export async function insertRequest(
  tx: Queryable,
  { actor, operation, idempotencyKey }: RequestKey,
  { requestHash, target }: { requestHash: Buffer; target: string | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into remembered_requests as known (actor, operation, idempotency_key, request_hash, target)
     values ($1, $2, $3, $4, $5)
     on conflict (actor, operation, idempotency_key) do update
       set request_hash = excluded.request_hash, request_hash_key = null, target = excluded.target, created_at = now()
       where known.created_at <= now() - ${rememberedForSql}`,
    [actorReference(actor), operation, idempotencyKey, requestHash, target],
  )
  return rowCount === 1
}

export async function updateRequestResult(
  tx: Queryable,
  { actor, operation, idempotencyKey }: RequestKey,
  result: object,
): Promise<void> {
  await tx.query(
    `update remembered_requests set result = $4 where actor = $1 and operation = $2 and idempotency_key = $3`,
    [actorReference(actor), operation, idempotencyKey, JSON.stringify(result)],
  )
}

/**
 * Locks the changes of these vouchers whose hash can be guessed. Version 0.1.0 stores no target, so its changes of all vouchers
 * are among them.
 */
export async function lockChangesOf(tx: Queryable, voucherIds: string[]): Promise<PlainHash[]> {
  const { rows } = await tx.query<PlainHash>(
    `select ${rowIdSql} as id, request_hash as "requestHash" from remembered_requests
      where operation = '${changeVoucherOperation}' and request_hash_key is null
        and (actor, idempotency_key) in (
              select actor, idempotency_key from remembered_requests
               where operation = '${changeVoucherOperation}' and request_hash_key is null and target = any ($1)
              union all
              select actor, idempotency_key from remembered_requests
               where operation = '${changeVoucherOperation}' and request_hash_key is null and target is null)
      order by actor, idempotency_key for update`,
    [voucherIds],
  )
  return rows
}

/** SQL: identifies a row among those of one operation. */
const rowIdSql = `actor || ' ' || idempotency_key`

export async function updateChangesErased(tx: Queryable, { ids, hashes, keyId }: KeyedHashes): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `update remembered_requests r set request_hash = erased.hash, request_hash_key = $3
       from unnest($1::text[], $2::bytea[]) as erased (id, hash)
      where operation = '${changeVoucherOperation}' and request_hash_key is null and ${rowIdSql} = erased.id`,
    [ids, hashes, keyId],
  )
}

export const rememberedRequests: Retention = {
  table: 'remembered_requests',
  key: 'actor, operation, idempotency_key',
  since: 'created_at',
  keptFor: rememberedForSql,
}
