import type { Queryable } from '#db/database.ts'
import type { Scope } from './key.ts'

export type ApiKey = {
  id: string
  name: string
  prefix: string
  scope: Scope
  rateLimit: number
  allSites: boolean
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
}

/** A key with the version of a site's list, read in one statement. Concurrent requests share this object. */
export type AuthenticatedKey = Readonly<{
  id: string
  name: string
  prefix: string
  sha256: Buffer
  scope: Scope
  rateLimit: number
  allSites: boolean
  live: boolean
  mayUseSite: boolean
  listVersion: string | null
  now: Date
}>

/**
 * An unknown prefix takes the same time as a known one: the statement then returns a row of the same size that is not
 * `live` and has a digest that no key has.
 */
export async function findKeyWithListVersion(
  db: Queryable,
  prefix: string,
  siteId: number | null,
): Promise<AuthenticatedKey> {
  const { rows } = await db.query<AuthenticatedKey>(
    `select coalesce(k.id, '00000000-0000-0000-0000-000000000000') as id, coalesce(k.name, 'nobody') as name,
            wanted.prefix, coalesce(k.sha256, decode(repeat('00', 32), 'hex')) as sha256,
            coalesce(k.scope, 'read') as scope, coalesce(k.rate_limit, 600) as "rateLimit",
            coalesce(k.all_sites, true) as "allSites",
            k.id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as live,
            coalesce(k.all_sites, true) or exists (
              select from api_key_sites s where s.api_key_id = k.id and s.site_id = $2) as "mayUseSite",
            v.version as "listVersion", now() as now
       from (select $1::text as prefix) as wanted
       left join api_keys k on k.prefix = wanted.prefix
       left join site_versions v on v.site_id = $2`,
    [prefix, siteId],
  )
  return rows[0] as AuthenticatedKey
}

const keyColumns = `id, name, prefix, scope, rate_limit as "rateLimit", all_sites as "allSites", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt", created_at as "createdAt"`

export type NewKey = {
  id: string
  name: string
  prefix: string
  sha256: Buffer
  scope: Scope
  rateLimit: number
  allSites: boolean
  expiresAt: Date | null
}

export async function insertKey(db: Queryable, key: NewKey): Promise<ApiKey | undefined> {
  const { rows } = await db.query<ApiKey>(
    `insert into api_keys (id, name, prefix, sha256, scope, rate_limit, all_sites, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (prefix) do nothing
     returning ${keyColumns}`,
    [key.id, key.name, key.prefix, key.sha256, key.scope, key.rateLimit, key.allSites, key.expiresAt],
  )
  return rows[0]
}

/** Returns the ids of the sites that exist. The caller decides what a missing site means. */
export async function insertKeySites(db: Queryable, keyId: string, siteIds: number[]): Promise<number[]> {
  const { rows } = await db.query<{ siteId: number }>(
    `insert into api_key_sites (api_key_id, site_id)
     select $1, id from sites where id = any($2)
     returning site_id as "siteId"`,
    [keyId, siteIds],
  )
  return rows.map((row) => row.siteId)
}

/** `siteIds` is empty for a key for all sites. */
export type ApiKeyWithSites = ApiKey & { siteIds: number[] }

const keyColumnsWithSites = `${keyColumns},
  array(select site_id from api_key_sites where api_key_id = api_keys.id order by site_id) as "siteIds"`

export async function listKeys(db: Queryable): Promise<ApiKeyWithSites[]> {
  const { rows } = await db.query<ApiKeyWithSites>(
    `select ${keyColumnsWithSites} from api_keys order by created_at, id`,
  )
  return rows
}

export async function findKey(db: Queryable, id: string): Promise<ApiKeyWithSites | undefined> {
  const { rows } = await db.query<ApiKeyWithSites>(`select ${keyColumnsWithSites} from api_keys where id = $1`, [id])
  return rows[0]
}

/** Locks the row until the transaction ends. Undefined when no key has this prefix or id. */
export async function findKeyToChange(tx: Queryable, prefixOrId: string): Promise<ApiKeyWithSites | undefined> {
  const { rows } = await tx.query<ApiKeyWithSites>(
    `select ${keyColumnsWithSites} from api_keys where prefix = $1 or id::text = $1 for no key update`,
    [prefixOrId],
  )
  return rows[0]
}

export async function updateKey(
  tx: Queryable,
  key: Pick<ApiKey, 'id' | 'name' | 'rateLimit' | 'allSites' | 'expiresAt'>,
): Promise<void> {
  const { id, name, rateLimit, allSites, expiresAt } = key
  await tx.query(`update api_keys set name = $2, rate_limit = $3, all_sites = $4, expires_at = $5 where id = $1`, [
    id,
    name,
    rateLimit,
    allSites,
    expiresAt,
  ])
}

export async function deleteKeySites(tx: Queryable, keyId: string): Promise<void> {
  await tx.query('delete from api_key_sites where api_key_id = $1', [keyId])
}

/** Undefined when no key has this prefix or id. A second revocation keeps the time of the first. */
export async function updateKeyRevoked(db: Queryable, prefixOrId: string): Promise<ApiKey | undefined> {
  const { rows } = await db.query<ApiKey>(
    `update api_keys set revoked_at = coalesce(revoked_at, now())
      where prefix = $1 or id::text = $1
      returning ${keyColumns}`,
    [prefixOrId],
  )
  return rows[0]
}

export type KeyUse = { keyId: string; day: string; requests: number; limited: number; lastUsedAt: Date }

/** Adds all counts to their days in one statement. */
export async function updateKeyUse(db: Queryable, uses: KeyUse[]): Promise<void> {
  await db.query(
    `with used as (
       select * from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[], $5::timestamptz[])
         as u (id, day, requests, limited, at)
     ), counted as (
       insert into api_key_days as d (api_key_id, day, requests, limited)
       select id, day, requests, limited from used order by id, day
       on conflict (api_key_id, day) do update
         set requests = d.requests + excluded.requests, limited = d.limited + excluded.limited
     )
     update api_keys k set last_used_at = greatest(k.last_used_at, latest.at)
       from (select id, max(at) as at from used group by id) as latest
      where k.id = latest.id`,
    [
      uses.map((use) => use.keyId),
      uses.map((use) => use.day),
      uses.map((use) => use.requests),
      uses.map((use) => use.limited),
      uses.map((use) => use.lastUsedAt),
    ],
  )
}

/** SQL for the maker of a row that has the columns `api_key_id` and `staff_id`; null if both are null. */
export function makerOf(row: string): string {
  return `case when ${row}.api_key_id is not null
    then json_build_object('kind', 'key', 'id', ${row}.api_key_id,
           'name', (select name from api_keys where id = ${row}.api_key_id))
    when ${row}.staff_id is not null
    then json_build_object('kind', 'staff', 'id', ${row}.staff_id,
           'name', (select name from staff where id = ${row}.staff_id)) end`
}
