import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'

export type KeyUse = {
  keyId: string
  prefix: string
  day: string
  requests: number
  limited: number
  lastUsedAt: Date
}

/** Adds all counts to their days in one statement. It locks rows in a fixed order, so that several processes cannot deadlock. */
export async function updateKeyUse(db: Queryable, uses: KeyUse[]): Promise<void> {
  await db.query(
    `with used as (
       select * from unnest($1::uuid[], $2::text[], $3::date[], $4::bigint[], $5::bigint[], $6::timestamptz[])
         as u (id, prefix, day, requests, limited, at)
     ), counted as (
       insert into api_key_days as d (api_key_id, day, requests, limited)
       select id, day, sum(requests), sum(limited) from used group by id, day order by id, day
       on conflict (api_key_id, day) do update
         set requests = d.requests + excluded.requests, limited = d.limited + excluded.limited
     ), latest as (
       select s.prefix, (select max(at) from used where used.prefix = s.prefix) as at
         from api_key_secrets s where s.prefix in (select prefix from used) order by s.prefix for no key update
     )
     update api_key_secrets s set last_used_at = greatest(s.last_used_at, latest.at)
       from latest where s.prefix = latest.prefix`,
    [
      uses.map((use) => use.keyId),
      uses.map((use) => use.prefix),
      uses.map((use) => use.day),
      uses.map((use) => use.requests),
      uses.map((use) => use.limited),
      uses.map((use) => use.lastUsedAt),
    ],
  )
}

export type KeyDay = { keyId: string; day: string; requests: number; limited: number }

/** The days from `firstDay` on that have requests, in order. */
export async function listKeyDays(db: Queryable, keyIds: string[], firstDay: string): Promise<KeyDay[]> {
  const { rows } = await db.query<KeyDay>(
    `select api_key_id as "keyId", day::text, requests::float8, limited::float8
       from api_key_days where api_key_id = any($1) and day >= $2 order by api_key_id, day`,
    [keyIds, firstDay],
  )
  return rows
}

/** The usage of a key shows 14 days. */
export const daysOfKeys: Retention = {
  table: 'api_key_days',
  key: 'api_key_id, day',
  since: 'day',
  keptFor: `interval '100 days'`,
}
