import type { Queryable } from '#db/database.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import type { CreatedVoucher, CreationState } from './creation.ts'

/** How long an Idempotency-Key is remembered after its creation was settled. */
const rememberedFor = `interval '24 hours'`
/** Longer than any call takes: whoever holds an intent beyond it has died. */
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

/**
 * Commits the intent. Undefined when somebody else was first with this Idempotency-Key. A row of the same key whose
 * creation came to nothing, or that is too old to count, makes room.
 */
export async function insertCreation(db: Queryable, creation: NewCreation): Promise<string | undefined> {
  const { shape } = creation
  const { rows } = await db.query<{ id: string }>(
    `insert into creations as known (site_id, id, actor, api_key_id, idempotency_key, request_hash, name, max_uses,
       expire_minutes, qos_down_kbps, qos_up_kbps, qos_quota_mb, sent_at, lease_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now(), now() + ${lease})
     on conflict (actor, idempotency_key) do update set
       site_id = excluded.site_id, id = excluded.id, request_hash = excluded.request_hash, name = excluded.name,
       max_uses = excluded.max_uses, expire_minutes = excluded.expire_minutes, qos_down_kbps = excluded.qos_down_kbps,
       qos_up_kbps = excluded.qos_up_kbps, qos_quota_mb = excluded.qos_quota_mb, state = 'open',
       sent_at = excluded.sent_at, lease_until = excluded.lease_until, settled_at = null, voucher_id = null, answer = null
     where known.settled_at < now() - ${rememberedFor}
        or (known.state in ('rejected', 'absent') and known.request_hash = excluded.request_hash)
     returning id`,
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
  return rows[0]?.id
}

type CreationKey = { siteId: number; id: string }

/** False when it is no longer open: somebody else took it over. */
export async function lockOpenCreation(tx: Queryable, { siteId, id }: CreationKey): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from creations where site_id = $1 and id = $2 and settled_at is null for update`,
    [siteId, id],
  )
  return rowCount === 1
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

/** After a call that made nothing for certain, or that may have made something. */
export async function updateCreationFailed(
  db: Queryable,
  { siteId, id }: CreationKey,
  state: 'rejected' | 'unknown',
): Promise<void> {
  await db.query(
    `update creations set state = $3, settled_at = case when $3 = 'rejected' then now() end
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
