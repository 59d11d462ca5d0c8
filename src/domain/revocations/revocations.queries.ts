import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { Disconnection } from '#drivers/driver.ts'
import { actorColumns, actorReference, type Maker, type Requester } from '../actor.ts'
import type { EarlierRequest, KeyedHashes, PlainHash, StoredHash } from '../idempotency.ts'
import type { WithdrawalOutcome } from '../record/due-withdrawals.queries.ts'

export type NewRevocation = {
  id: string
  maker: Maker
  idempotencyKey: string | undefined
  requestHash: Buffer
}

/** False when the Idempotency-Key belongs to another revocation, after waiting for a transaction that inserts it. */
export async function insertRevocation(tx: Queryable, revocation: NewRevocation): Promise<boolean> {
  const { id, maker, idempotencyKey, requestHash } = revocation
  const { apiKeyId, staffId } = actorColumns(maker)
  const { rowCount } = await tx.query(
    `insert into revocations (id, actor, api_key_id, staff_id, idempotency_key, request_hash)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (actor, idempotency_key) do nothing`,
    [id, actorReference(maker), apiKeyId, staffId, idempotencyKey ?? null, requestHash],
  )
  return rowCount === 1
}

/** Stores the sites of its vouchers, which decide who may see it. */
export async function updateRevocationSites(tx: Queryable, id: string, siteIds: number[]): Promise<void> {
  await tx.query('update revocations set site_ids = $2 where id = $1', [id, siteIds])
}

/** The revocation that this Idempotency-Key of the actor belongs to. */
export async function findEarlierRevocation(
  db: Queryable,
  actor: Requester,
  idempotencyKey: string,
): Promise<EarlierRequest<{ id: string }> | undefined> {
  const { rows } = await db.query<StoredHash & { outcome: { id: string } }>(
    `select request_hash as "requestHash", request_hash_key as "requestHashKey", json_build_object('id', id) as outcome
       from revocations where actor = $1 and idempotency_key = $2`,
    [actorReference(actor), idempotencyKey],
  )
  return rows[0]
}

/**
 * Locks the revocations of these vouchers whose hash can be guessed, because their filter may have the name of a guest, and those
 * without vouchers.
 */
export async function lockRevocationsOf(tx: Queryable, siteId: number, voucherIds: string[]): Promise<PlainHash[]> {
  const { rows } = await tx.query<PlainHash>(
    `select id, request_hash as "requestHash" from revocations
      where request_hash_key is null
        and id in (select id from revocations where site_ids = '{}' and request_hash_key is null
                   union all
                   select revocation_id from withdrawals
                    where site_id = $1 and voucher_id = any ($2::uuid[]) and revocation_id is not null)
      order by id for update`,
    [siteId, voucherIds],
  )
  return rows
}

/** SQL: repeats of the revocation `r` are expected no longer. */
const isKeyOldSql = `r.created_at <= now() - interval '24 hours'`

/** Removes Idempotency-Keys too that no repeat uses any more. */
export async function updateRevocationsErased(tx: Queryable, { ids, hashes, keyId }: KeyedHashes): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `update revocations r
        set request_hash = erased.hash, request_hash_key = $3,
            idempotency_key = case when not ${isKeyOldSql} then idempotency_key end
       from unnest($1::uuid[], $2::bytea[]) as erased (id, hash)
      where r.id = erased.id`,
    [ids, hashes, keyId],
  )
}

/**
 * Removes the Idempotency-Keys of revocations that were erased within their first day, when the day is over: clients put references in
 * them. Reads the revocations of the last 30 days. Returns how many.
 */
export async function updateKeysOfErasedRevocations(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `update revocations r set idempotency_key = null
      where r.created_at > now() - interval '30 days' and ${isKeyOldSql}
        and r.idempotency_key is not null and r.request_hash_key is not null`,
  )
  return rowCount ?? 0
}

export type Revocation = {
  id: string
  createdAt: Date
  total: number
  pending: number
  revoked: number
  ended: number
  kept: number
  failed: number
}

/** The actor that reads revocations, and the sites that it may use. */
export type Viewer = { id: string; sites: number[] | 'all' }

const withCountsSql = `revocations r,
  lateral (
    select count(*)::integer as total,
           (count(*) filter (where outcome is null))::integer as pending,
           (count(*) filter (where outcome = 'revoked'))::integer as revoked,
           (count(*) filter (where outcome = 'ended'))::integer as ended,
           (count(*) filter (where outcome = 'kept'))::integer as kept,
           (count(*) filter (where outcome = 'failed'))::integer as failed
      from withdrawals where revocation_id = r.id) as counts`

/** Undefined also when the viewer may not see the revocation: see `listRevocations`. */
export async function findRevocation(db: Queryable, id: string, viewer: Viewer): Promise<Revocation | undefined> {
  const { rows } = await db.query<Revocation>(
    `select r.id, r.created_at as "createdAt", counts.*
       from ${withCountsSql}
      where r.id = $1
        and ($2::integer[] is null
          or r.site_ids <@ $2 and (r.site_ids <> '{}' or coalesce(r.api_key_id, r.staff_id) = $3::uuid))`,
    [id, viewer.sites === 'all' ? null : viewer.sites, viewer.id],
  )
  return rows[0]
}

/**
 * A page of the revocations that the viewer may see, newest first. The viewer must be allowed to use the sites of all
 * vouchers. A revocation without vouchers is visible to its maker only. The page is cut before the vouchers are
 * counted.
 */
export async function listRevocations(
  db: Queryable,
  viewer: Viewer,
  options: { after: { createdAt: Date; id: string } | undefined; limit: number },
): Promise<Revocation[]> {
  const { after, limit } = options
  const newest = (where: string) =>
    `select id, created_at from revocations
      where ${where} and ($2::timestamptz is null or (created_at, id) < ($2, $3::uuid))
      order by created_at desc, id desc limit $1`
  const ofSites = newest(`site_ids && $4::integer[] and site_ids <@ $4`) // && leaves out those without sites
  const ownWithoutSites = newest(`site_ids = '{}' and coalesce(api_key_id, staff_id) = $5::uuid`)
  const isLimited = viewer.sites !== 'all'
  const { rows } = await db.query<Revocation>(
    `select r.id, r.created_at as "createdAt", counts.*
       from ${withCountsSql}
      where r.id in (
        select id from (${isLimited ? `(${ofSites}) union all (${ownWithoutSites})` : newest('true')}) as visible
         order by created_at desc, id desc
         limit $1)
      order by r.created_at desc, r.id desc`,
    [limit, after?.createdAt ?? null, after?.id ?? null, ...(isLimited ? [viewer.sites, viewer.id] : [])],
  )
  return rows
}

export type RevocationRow = {
  siteId: number
  voucherId: string
  outcome: WithdrawalOutcome | null
  failure: string | null
  disconnected: Disconnection | null
  settledAt: Date | null
}

/** A page of the vouchers of a revocation, by site and voucher. */
export async function listRevocationRows(
  db: Queryable,
  id: string,
  options: { after: { siteId: number; id: string } | undefined; limit: number },
): Promise<RevocationRow[]> {
  const { after, limit } = options
  const { rows } = await db.query<RevocationRow>(
    `select site_id as "siteId", voucher_id as "voucherId", outcome, failure, disconnected, settled_at as "settledAt"
       from withdrawals
      where revocation_id = $1 and (site_id, voucher_id) > ($2, $3)
      order by site_id, voucher_id
      limit $4`,
    [id, after?.siteId ?? 0, after?.id ?? '00000000-0000-0000-0000-000000000000', limit],
  )
  return rows
}

/** Settled withdrawals of revocations. They are deleted before their revocations: each revocation has up to 10,000. */
export const revokedWithdrawals = (keptFor: string): Retention => ({
  table: 'withdrawals',
  key: 'withdrawals.site_id, withdrawals.id',
  from: 'revocations join withdrawals on withdrawals.revocation_id = revocations.id',
  since: 'revocations.created_at',
  keptFor,
  deletableIf: 'withdrawals.settled_at is not null',
})

export const settledRevocations = (keptFor: string): Retention => ({
  table: 'revocations',
  key: 'id',
  since: 'created_at',
  keptFor,
  deletableIf: 'not exists (select from withdrawals where revocation_id = revocations.id)',
})
