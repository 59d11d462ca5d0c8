import type { Queryable } from '#db/database.ts'

export type NewRevocation = {
  id: string
  actor: string
  apiKeyId: string
  idempotencyKey: string | undefined
  requestHash: Buffer
}

/** False when this Idempotency-Key stands on another one. Waits for whoever is just inserting that. */
export async function insertRevocation(tx: Queryable, revocation: NewRevocation): Promise<boolean> {
  const { id, actor, apiKeyId, idempotencyKey, requestHash } = revocation
  const { rowCount } = await tx.query(
    `insert into revocations (id, actor, api_key_id, idempotency_key, request_hash) values ($1, $2, $3, $4, $5)
     on conflict (actor, idempotency_key) do nothing`,
    [id, actor, apiKeyId, idempotencyKey ?? null, requestHash],
  )
  return rowCount === 1
}

export async function findRevocationByKey(
  db: Queryable,
  actor: string,
  idempotencyKey: string,
): Promise<{ id: string; requestHash: Buffer } | undefined> {
  const { rows } = await db.query<{ id: string; requestHash: Buffer }>(
    `select id, request_hash as "requestHash" from revocations where actor = $1 and idempotency_key = $2`,
    [actor, idempotencyKey],
  )
  return rows[0]
}

export type Revocation = {
  id: string
  createdAt: Date
  total: number
  pending: number
  revoked: number
  ended: number
  failed: number
}

/** One that touches a site which the key may not see does not exist for it; one of no voucher is its maker's only. */
const isVisible = `($2::uuid is null or r.api_key_id = $2 or exists (select from withdrawals where revocation_id = r.id))
  and ($2::uuid is null or not exists (
    select from withdrawals w
     where w.revocation_id = r.id
       and not exists (select from api_key_sites k where k.api_key_id = $2 and k.site_id = w.site_id)))`

export async function findRevocation(
  db: Queryable,
  id: string,
  onlyForKey: string | null,
): Promise<Revocation | undefined> {
  const { rows } = await db.query<Revocation>(
    `select r.id, r.created_at as "createdAt", counts.*
       from revocations r,
            lateral (
              select count(*)::integer as total,
                     (count(*) filter (where outcome is null))::integer as pending,
                     (count(*) filter (where outcome = 'revoked'))::integer as revoked,
                     (count(*) filter (where outcome = 'ended'))::integer as ended,
                     (count(*) filter (where outcome = 'failed'))::integer as failed
                from withdrawals where revocation_id = r.id) as counts
      where r.id = $1 and ${isVisible}`,
    [id, onlyForKey],
  )
  return rows[0]
}

export type RevocationRow = {
  siteId: number
  voucherId: string
  outcome: 'revoked' | 'ended' | 'failed' | null
  failure: string | null
  settledAt: Date | null
}

/** By site and voucher, after the given one. */
export async function listRevocationRows(
  db: Queryable,
  id: string,
  options: { after: { siteId: number; id: string } | undefined; limit: number },
): Promise<RevocationRow[]> {
  const { after, limit } = options
  const { rows } = await db.query<RevocationRow>(
    `select site_id as "siteId", voucher_id as "voucherId", outcome, failure, settled_at as "settledAt"
       from withdrawals
      where revocation_id = $1 and (site_id, voucher_id) > ($2, $3)
      order by site_id, voucher_id
      limit $4`,
    [id, after?.siteId ?? 0, after?.id ?? '00000000-0000-0000-0000-000000000000', limit],
  )
  return rows
}
