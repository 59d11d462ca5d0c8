import type { Queryable } from '#db/database.ts'
import type { CreatedVoucher, CreationState, Intent, RecordedCreation, Wishes } from './creation.ts'

/** How long an Idempotency-Key is remembered after its creation was settled. */
const rememberedFor = `interval '24 hours'`
/** Longer than calling the controller and recording take: whoever holds an intent beyond it has died. */
const lease = `interval '30 seconds'`

export type KnownCreation = {
  siteId: number
  id: string
  requestHash: Buffer
  state: CreationState
  voucherId: string | null
  answer: CreatedVoucher | null
}

export async function findCreationByKey(
  db: Queryable,
  actor: string,
  idempotencyKey: string,
): Promise<KnownCreation | undefined> {
  const { rows } = await db.query<KnownCreation>(
    `select site_id as "siteId", id, request_hash as "requestHash", state, voucher_id as "voucherId", answer
       from creations
      where actor = $1 and idempotency_key = $2
        and (settled_at is null or settled_at > now() - ${rememberedFor})`,
    [actor, idempotencyKey],
  )
  return rows[0]
}

/** Commits the intent. False when this Idempotency-Key stands on another row. */
export async function insertCreation(db: Queryable, intent: Intent): Promise<boolean> {
  const { shape } = intent
  const { rowCount } = await db.query(
    `insert into creations (site_id, id, actor, api_key_id, idempotency_key, request_hash, name, note, max_uses,
       expire_minutes, qos_down_kbps, qos_up_kbps, qos_quota_mb, reference, valid_until, batch_id, controller_ahead_ms,
       sent_at, lease_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, now(), now() + ${lease})
     on conflict (actor, idempotency_key) do nothing`,
    [
      intent.siteId,
      intent.id,
      intent.actor,
      intent.apiKeyId,
      intent.idempotencyKey ?? null,
      intent.requestHash,
      shape.name,
      intent.note,
      shape.maxUses,
      shape.expireMinutes,
      shape.downKbps,
      shape.upKbps,
      shape.quotaMb,
      intent.reference,
      intent.validUntil,
      intent.batchId,
      intent.controllerAheadMs,
    ],
  )
  return rowCount === 1
}

/** Takes the key off a row whose attempt came to nothing, or that is too old to count, and notes what follows it. */
export async function releaseIdempotencyKey(tx: Queryable, next: Intent): Promise<void> {
  await tx.query(
    `update creations set idempotency_key = null, superseded_by = $3
      where actor = $1 and idempotency_key = $2
        and (settled_at < now() - ${rememberedFor} or (state in ('rejected', 'absent') and request_hash = $4))`,
    [next.actor, next.idempotencyKey, next.id, next.requestHash],
  )
}

export type LockedCreation = Wishes & {
  id: string
  hasNoVoucher: boolean
  voucherId: string | null
  answer: CreatedVoucher | null
  batchId: string | null
  /** Somebody revoked it before it was known whether there is a voucher. */
  isRevoked: boolean
}

/**
 * Waits for whoever works on them. An answer is there when it was recorded before, e.g. by a commit that seemed lost. One
 * that was given up can still get its voucher, unless its client has begun another attempt.
 */
export async function lockCreations(tx: Queryable, siteId: number, ids: string[]): Promise<LockedCreation[]> {
  const { rows } = await tx.query<LockedCreation>(
    `select id, state <> 'recorded' and superseded_by is null as "hasNoVoucher", voucher_id as "voucherId", answer,
            reference, valid_until as "validUntil", batch_id as "batchId", revoked_at is not null as "isRevoked"
       from creations where site_id = $1 and id = any ($2) order by id for update`,
    [siteId, ids],
  )
  return rows
}

export async function updateCreationsRecorded(
  tx: Queryable,
  siteId: number,
  recorded: RecordedCreation[],
): Promise<void> {
  await tx.query(
    `update creations set state = 'recorded', settled_at = now(), voucher_id = made.voucher_id, answer = made.answer
       from unnest($2::uuid[], $3::uuid[], $4::jsonb[]) as made (creation_id, voucher_id, answer)
      where site_id = $1 and id = made.creation_id`,
    [
      siteId,
      recorded.map(({ creationId }) => creationId),
      recorded.map(({ voucherId }) => voucherId),
      recorded.map(({ answer }) => answer),
    ],
  )
}

/**
 * Locks those of these creations that are not settled. Statements that lock several creations lock them in the order of their
 * ids; otherwise two statements could deadlock.
 */
export const lockUnsettled = `select id from creations
  where site_id = $1 and id = any ($2) and settled_at is null order by id for update`

/** After a failed call: `rejected` if certainly nothing was made; `unknown` if the voucher must be looked up from now on. */
export async function updateCreationsFailed(
  db: Queryable,
  siteId: number,
  ids: string[],
  state: 'rejected' | 'unknown',
): Promise<void> {
  await db.query(
    `with locked as (${lockUnsettled})
     update creations c set state = $3, settled_at = case when $3 = 'rejected' then now() end, lease_until = now()
       from locked
      where c.site_id = $1 and c.id = locked.id`,
    [siteId, ids, state],
  )
}

/** In pieces, to keep each lock short. */
export async function deleteSettledCreations(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `delete from creations
      where (site_id, id) in (
        select site_id, id from creations where settled_at < now() - ${rememberedFor} order by settled_at limit 5000
           for update skip locked)`,
  )
  return rowCount ?? 0
}
