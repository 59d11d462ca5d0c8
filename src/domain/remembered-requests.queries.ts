import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import { actorReference, type Requester } from './actor.ts'
import type { EarlierRequest } from './idempotency.ts'

/** How long an Idempotency-Key is remembered. */
const rememberedForSql = `interval '24 hours'`

/** A request that is remembered by its Idempotency-Key. Each operation has its own keys. */
export type RequestKey = { actor: Requester; operation: string; idempotencyKey: string }

export async function findEarlierRequest<T extends object>(
  db: Queryable,
  { actor, operation, idempotencyKey }: RequestKey,
): Promise<EarlierRequest<T> | undefined> {
  const { rows } = await db.query<{ requestHash: Buffer; outcome: T }>(
    `select request_hash as "requestHash", result as outcome from remembered_requests
      where actor = $1 and operation = $2 and idempotency_key = $3 and created_at > now() - ${rememberedForSql}`,
    [actorReference(actor), operation, idempotencyKey],
  )
  return rows[0]
}

/** False when the Idempotency-Key belongs to another request, after waiting for a transaction that inserts it. */
export async function insertRequest(
  tx: Queryable,
  { actor, operation, idempotencyKey }: RequestKey,
  requestHash: Buffer,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into remembered_requests as known (actor, operation, idempotency_key, request_hash)
     values ($1, $2, $3, $4)
     on conflict (actor, operation, idempotency_key) do update
       set request_hash = excluded.request_hash, created_at = now()
       where known.created_at <= now() - ${rememberedForSql}`,
    [actorReference(actor), operation, idempotencyKey, requestHash],
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

export const rememberedRequests: Retention = {
  table: 'remembered_requests',
  key: 'actor, operation, idempotency_key',
  since: 'created_at',
  keptFor: rememberedForSql,
}
