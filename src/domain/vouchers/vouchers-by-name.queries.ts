import type { NamedStatement, Queryable } from '#db/database.ts'
import type { RecordedVoucher } from '../record/voucher.ts'
import { voucherColumnsSql } from './vouchers.queries.ts'

/** Ended vouchers are found for this time after their end. */
const endedDays = 7
/** If fewer vouchers begin with the text, all of them are compared. */
const mostNamed = 300
/** The newest vouchers of each status are searched too: at most this many. */
const mostNewest = 300
/** More matches are not counted. */
export const mostCounted = 100

type NameSearch = { siteId: number; prefix: string; now: Date; limit: number }

/** `total` counts all matches, up to `limit` and `mostCounted` together. */
type NameMatches = { vouchers: RecordedVoucher[]; total: number }

/**
 * The vouchers of a site whose name begins with the text, in upper or lower case, and that work or ended in the last days. Among
 * the newest valid and used ones, the text may also begin a later word, as in "Fam. Huber". Vouchers that work come first, then
 * those with exactly this name, then names that begin with the text, then the newest.
 */
export async function findVouchersByName(
  db: Queryable,
  { siteId, prefix, now, limit }: NameSearch,
): Promise<NameMatches> {
  const { rows } = await db.query<RecordedVoucher & { total: number }>(matches, [siteId, prefix, now, limit])
  return {
    vouchers: rows.map(({ total, ...voucher }) => voucher),
    total: Math.min(rows[0]?.total ?? 0, limit + mostCounted),
  }
}

/** The last character of Unicode follows every other one. The operators compare bytes, as the index vouchers_by_name_prefix does. */
const isNamedSql = 'lower(name) ~>=~ lower($2) and lower(name) ~<~ lower($2 || chr(1114111))'
/** Later words follow a space or one of these characters. */
const wordsSql = (text: string) => `' ' || translate(lower(${text}), ',.;:/(-', '       ')`
const hasWordSql = `strpos(${wordsSql('name')}, ${wordsSql('$2')}) > 0`
const endSql = 'least(expires_at, valid_until, revoked_at)'
const hasEndedSql = `(status in ('expired', 'revoked') or coalesce(${endSql} <= $3, false))`
const isShownSql = `(not ${hasEndedSql} or coalesce(${endSql}, synced_at) > $3::timestamptz - interval '${endedDays} days')`

/** Ended vouchers are found by the beginning of the name only: here, if the index of names leads to too many. */
const isMatchSql = {
  valid: hasWordSql,
  used: hasWordSql,
  expired: `(select count(*) from named) = ${mostNamed} and ${isNamedSql}`,
  revoked: `(select count(*) from named) = ${mostNamed} and ${isNamedSql}`,
}

/**
 * The newest vouchers of a status that match. PostgreSQL stops at `mostCounted`. The status
 * is a range and part of the order, so that only the index vouchers_by_status fits: with another one, PostgreSQL might read every
 * voucher of the site to find a rare status.
 */
const newestOfSql = (status: keyof typeof isMatchSql) => `
  (select id, name, created_at, ${hasEndedSql} as has_ended
     from (select id, name, status, created_at, expires_at, valid_until, revoked_at, synced_at from vouchers
            where site_id = $1 and status between '${status}' and '${status}'
            order by status, created_at desc, id desc limit ${mostNewest}) as newest
    where ${isMatchSql[status]} and ${isShownSql}
    order by status, created_at desc, id desc limit $4 + ${mostCounted})`

/**
 * A text of two letters may match every voucher of a site. So this reads a limited number of rows, first in the order of names,
 * which begins with the exact name, then in the order of time. The order of `named` makes PostgreSQL use the index of names.
 */
const matches: NamedStatement = {
  name: 'vouchers by name', // planned once by `requestDb`; planning took 3.5 of 9 ms
  text: `
  with named as materialized (
    select id, name, status, created_at, expires_at, valid_until, revoked_at, synced_at from vouchers
     where site_id = $1 and ${isNamedSql} order by lower(name) using ~<~ limit ${mostNamed}
  ), found as (
    select id, name, created_at, ${hasEndedSql} as has_ended from named where ${isShownSql}
    union
    ${(['valid', 'used', 'expired', 'revoked'] as const).map(newestOfSql).join(' union ')}
  ), first as (
    select id, (count(*) over ())::integer as total,
           row_number() over (order by has_ended, lower(name) = lower($2) desc, (${isNamedSql}) desc, created_at desc, id desc) as place
      from found order by place limit $4
  )
  select voucher.*, total
    from first cross join lateral (
      select ${voucherColumnsSql} from vouchers where site_id = $1 and id = first.id limit 1
    ) as voucher
   order by place`,
}
