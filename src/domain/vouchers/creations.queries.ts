import type { Queryable } from '#db/database.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import type { CreatedVoucher, CreationState } from './creation.ts'

/** How long an Idempotency-Key is remembered after its creation was settled. */
const rememberedFor = `interval '24 hours'`
/** Longer than calling the controller and recording take: whoever holds an intent beyond it has died. */
const lease = `interval '30 seconds'`

export type KnownCreation = {
  siteId: number
  id: string
  requestHash: Buffer
  state: CreationState
  answer: CreatedVoucher | null
}

export async function findCreationByKey(
  db: Queryable,
  actor: string,
  idempotencyKey: string,
): Promise<KnownCreation | undefined> {
  const { rows } = await db.query<KnownCreation>(
    `select site_id as "siteId", id, request_hash as "requestHash", state, answer
       from creations
      where actor = $1 and idempotency_key = $2
        and (settled_at is null or settled_at > now() - ${rememberedFor})`,
    [actor, idempotencyKey],
  )
  return rows[0]
}

export type NewCreation = {
  siteId: number
  id: string
  actor: string
  apiKeyId: string
  idempotencyKey: string | undefined
  requestHash: Buffer
  shape: VoucherShape
}

/** Commits the intent. False when this Idempotency-Key stands on another row. */
export async function insertCreation(db: Queryable, creation: NewCreation): Promise<boolean> {
  const { shape } = creation
  const { rowCount } = await db.query(
    `insert into creations (site_id, id, actor, api_key_id, idempotency_key, request_hash, name, max_uses,
       expire_minutes, qos_down_kbps, qos_up_kbps, qos_quota_mb, sent_at, lease_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now(), now() + ${lease})
     on conflict (actor, idempotency_key) do nothing`,
    [
      creation.siteId,
      creation.id,
      creation.actor,
      creation.apiKeyId,
      creation.idempotencyKey ?? null,
      creation.requestHash,
      shape.name,
      shape.maxUses,
      shape.expireMinutes,
      shape.downKbps,
      shape.upKbps,
      shape.quotaMb,
    ],
  )
  return rowCount === 1
}

/** Takes the key off a row whose attempt came to nothing, or that is too old to count, and notes what follows it. */
export async function releaseIdempotencyKey(tx: Queryable, next: NewCreation): Promise<void> {
  await tx.query(
    `update creations set idempotency_key = null, superseded_by = $3
      where actor = $1 and idempotency_key = $2
        and (settled_at < now() - ${rememberedFor} or (state in ('rejected', 'absent') and request_hash = $4))`,
    [next.actor, next.idempotencyKey, next.id, next.requestHash],
  )
}

type CreationKey = { siteId: number; id: string }

type LockedCreation = { hasNoVoucher: boolean; answer: CreatedVoucher | null }

/**
 * Waits for whoever works on it. The answer is there when it was recorded before, e.g. by a commit that seemed lost. One
 * that was given up can still get its voucher, unless its client has begun another attempt.
 */
export async function lockCreation(tx: Queryable, { siteId, id }: CreationKey): Promise<LockedCreation> {
  const { rows } = await tx.query<LockedCreation>(
    `select state <> 'recorded' and superseded_by is null as "hasNoVoucher", answer
       from creations where site_id = $1 and id = $2 for update`,
    [siteId, id],
  )
  return rows[0] ?? { hasNoVoucher: false, answer: null }
}

export async function updateCreationRecorded(
  tx: Queryable,
  { siteId, id }: CreationKey,
  voucherId: string,
  answer: CreatedVoucher,
): Promise<void> {
  await tx.query(
    `update creations set state = 'recorded', settled_at = now(), voucher_id = $3, answer = $4
      where site_id = $1 and id = $2`,
    [siteId, id, voucherId, answer],
  )
}

/** After a call that made nothing for certain, or that may have made something: then it is looked for from now on. */
export async function updateCreationFailed(
  db: Queryable,
  { siteId, id }: CreationKey,
  state: 'rejected' | 'unknown',
): Promise<void> {
  await db.query(
    `update creations set state = $3, settled_at = case when $3 = 'rejected' then now() end, lease_until = now()
      where site_id = $1 and id = $2 and state = 'open'`,
    [siteId, id, state],
  )
}

/** In pieces, to keep each lock short. */
export async function deleteSettledCreations(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `delete from creations
      where (site_id, id) in (
        select site_id, id from creations where settled_at < now() - ${rememberedFor} order by settled_at limit 5000)`,
  )
  return rowCount ?? 0
}
