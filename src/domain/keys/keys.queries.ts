import type { Queryable } from '#db/database.ts'
import { type IssuingLimits, issuingLimitsSql } from '../issuing-limits.ts'
import type { Scope } from './key.ts'

export type ApiKey = IssuingLimits & {
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
export type AuthenticatedKey = Readonly<
  IssuingLimits & {
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
    /** Changes when any key or person gets another name. */
    namesVersion: string | null
    now: Date
  }
>

/** A key by its prefix, with the version of this site's list. */
export type WantedKey = { prefix: string; siteId: number | null }

/**
 * The wanted keys in their order. An unknown prefix takes the same time as a known one, because the statement makes the
 * same lookups. It then returns a row of the same size, which is not `live` and has a digest that no key has.
 */
export async function findKeysWithListVersions(db: Queryable, wanted: WantedKey[]): Promise<AuthenticatedKey[]> {
  const { rows } = await db.query<AuthenticatedKey>(keysWithListVersions, [
    wanted.map(({ prefix }) => prefix),
    wanted.map(({ siteId }) => siteId),
  ])
  return rows.map((row) => Object.freeze(row))
}

const keysWithListVersions = {
  name: 'keys with list versions',
  text: `select coalesce(k.id, '00000000-0000-0000-0000-000000000000') as id, coalesce(k.name, 'nobody') as name,
            wanted.prefix, coalesce(secret.sha256, decode(repeat('00', 32), 'hex')) as sha256,
            coalesce(k.scope, 'read') as scope, coalesce(k.rate_limit, 600) as "rateLimit",
            coalesce(k.all_sites, true) as "allSites",
            k.id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
              and (secret.valid_until is null or secret.valid_until > now()) as live,
            coalesce(k.all_sites, true) or allowed.site_id is not null as "mayUseSite",
            ${issuingLimitsSql('k')},
            v.version as "listVersion", names.version as "namesVersion", now() as now
       from unnest($1::text[], $2::integer[]) with ordinality as wanted (prefix, site_id, place)
       left join api_key_secrets secret on secret.prefix = wanted.prefix
       left join api_keys k on k.id = coalesce(secret.api_key_id, '00000000-0000-0000-0000-000000000000')
       left join api_key_sites allowed
         on allowed.api_key_id = coalesce(secret.api_key_id, '00000000-0000-0000-0000-000000000000')
        and allowed.site_id = wanted.site_id
       left join site_versions v on v.site_id = wanted.site_id
       left join site_versions names on names.site_id = 0
      order by wanted.place`,
}

export type NewKey = Pick<ApiKey, 'id' | 'name' | 'scope' | 'rateLimit' | 'allSites' | 'expiresAt'> & IssuingLimits

/** The key has no secret yet: `insertKeySecret` adds it in the same transaction. */
export async function insertKey(tx: Queryable, key: NewKey): Promise<void> {
  await tx.query(
    `insert into api_keys (id, name, scope, rate_limit, all_sites, expires_at, vouchers_per_day, longest_minutes)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[key.id, key.name, key.scope, key.rateLimit, key.allSites, key.expiresAt],
      ...[key.vouchersPerDay, key.longestMinutes],
    ],
  )
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

/** An earlier secret of a rolled key that still works. */
type OldSecret = { prefix: string; validUntil: Date; lastUsedAt: Date | null }

/** `siteIds` is empty for a key for all sites. */
export type ApiKeyWithSites = ApiKey & { siteIds: number[]; oldSecrets: OldSecret[] }

const keyColumns = `k.id, k.name, current.prefix, k.scope, k.rate_limit as "rateLimit", k.all_sites as "allSites",
  k.expires_at as "expiresAt", k.revoked_at as "revokedAt", ${issuingLimitsSql('k')},
  (select max(last_used_at) from api_key_secrets where api_key_id = k.id) as "lastUsedAt", k.created_at as "createdAt",
  array(select site_id from api_key_sites where api_key_id = k.id order by site_id) as "siteIds",
  coalesce((select json_agg(json_build_object('prefix', prefix, 'validUntil', valid_until, 'lastUsedAt', last_used_at)
                            order by created_at desc)
              from api_key_secrets where api_key_id = k.id and valid_until > now()), '[]') as "oldSecrets"`
const keysWithSecretSql = `api_keys k join api_key_secrets current on current.api_key_id = k.id and current.valid_until is null`

type KeyRow = Omit<ApiKeyWithSites, 'oldSecrets'> & {
  oldSecrets: { prefix: string; validUntil: string; lastUsedAt: string | null }[]
}

function toKey<Row extends KeyRow>(row: Row): Omit<Row, 'oldSecrets'> & ApiKeyWithSites {
  const toDate = (text: string | null) => (text === null ? null : new Date(text))
  const oldSecrets = row.oldSecrets.map(({ prefix, validUntil, lastUsedAt }) => ({
    prefix,
    validUntil: new Date(validUntil),
    lastUsedAt: toDate(lastUsedAt),
  }))
  return { ...row, oldSecrets }
}

export async function listKeys(db: Queryable): Promise<ApiKeyWithSites[]> {
  const { rows } = await db.query<KeyRow>(`select ${keyColumns} from ${keysWithSecretSql} order by k.created_at, k.id`)
  return rows.map(toKey)
}

/** A page of keys by name, including revoked ones. */
export async function listKeyPage(
  db: Queryable,
  { after, limit }: { after: { name: string; id: string } | undefined; limit: number },
): Promise<ApiKeyWithSites[]> {
  const { rows } = await db.query<KeyRow>(
    `select ${keyColumns} from ${keysWithSecretSql}
      where $1::text is null or (k.name, k.id) > ($1, $2::uuid)
      order by k.name, k.id limit $3`,
    [after?.name ?? null, after?.id ?? null, limit],
  )
  return rows.map(toKey)
}

export async function findKey(db: Queryable, id: string): Promise<ApiKeyWithSites | undefined> {
  const { rows } = await db.query<KeyRow>(`select ${keyColumns} from ${keysWithSecretSql} where k.id = $1`, [id])
  return rows[0] && toKey(rows[0])
}

/**
 * Locks the key until the transaction ends. Undefined when no key has this id, or this prefix now or earlier. `now` is the
 * time of the transaction.
 */
export async function findKeyToChange(
  tx: Queryable,
  prefixOrId: string,
): Promise<(ApiKeyWithSites & { now: Date }) | undefined> {
  const { rows: found } = await tx.query<{ id: string }>(
    `select id from api_keys
      where id::text = $1 or id = (select api_key_id from api_key_secrets where prefix = $1)
        for no key update`,
    [prefixOrId],
  )
  const { rows } = await tx.query<KeyRow & { now: Date }>(
    `select ${keyColumns}, now() as now from ${keysWithSecretSql} where k.id = $1`,
    [found[0]?.id ?? null],
  )
  return rows[0] && toKey(rows[0])
}

export async function updateKey(
  tx: Queryable,
  key: Pick<ApiKey, 'id' | 'name' | 'rateLimit' | 'allSites' | 'expiresAt'> & IssuingLimits,
): Promise<void> {
  const { id, name, rateLimit, allSites, expiresAt, vouchersPerDay, longestMinutes } = key
  await tx.query(
    `update api_keys
        set name = $2, rate_limit = $3, all_sites = $4, expires_at = $5, vouchers_per_day = $6, longest_minutes = $7
      where id = $1`,
    [id, name, rateLimit, allSites, expiresAt, vouchersPerDay, longestMinutes],
  )
}

export async function deleteKeySites(tx: Queryable, keyId: string): Promise<void> {
  await tx.query('delete from api_key_sites where api_key_id = $1', [keyId])
}

/** A second revocation keeps the time of the first. */
export async function updateKeyRevoked(tx: Queryable, id: string): Promise<void> {
  await tx.query(`update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1`, [id])
}

/** SQL for the maker of a row that has the columns `api_key_id` and `staff_id`; null if both are null. */
export function makerSql(row: string): string {
  return `case when ${row}.api_key_id is not null
    then json_build_object('kind', 'key', 'id', ${row}.api_key_id,
           'name', (select name from api_keys where id = ${row}.api_key_id))
    when ${row}.staff_id is not null
    then json_build_object('kind', 'staff', 'id', ${row}.staff_id,
           'name', (select name from staff where id = ${row}.staff_id)) end`
}

/** SQL for the limits on issuing of the maker of a row that has the columns `api_key_id` and `staff_id`. */
export function limitsOfMakerSql(row: string): string {
  return `(select json_build_object('vouchersPerDay', maker.vouchers_per_day, 'longestMinutes', maker.longest_minutes)
     from (select vouchers_per_day, longest_minutes from api_keys where id = ${row}.api_key_id
           union all
           select vouchers_per_day, longest_minutes from staff where id = ${row}.staff_id) as maker)`
}
