import type { Queryable } from '#db/database.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import type { ForgettingRules } from '../settings/guest-data.ts'

/**
 * SQL: the first end of a voucher that has ended. The index `vouchers_to_forget` has the same expression. A voucher that the
 * controller ended without saying when counts from the sync that noticed it.
 */
export const endedAtSql = `(coalesce(least(expires_at, valid_until, revoked_at, case when first_used_at is null then unused_until end),
  synced_at, created_at))`

/** SQL: the voucher ended before a time. The minutes of a used-up voucher may still run. */
const isOverSql = (before: string) => `status <> 'valid' and ${endedAtSql} < ${before}
  and (status <> 'used'
       or coalesce(expires_at, coalesce(first_used_at, synced_at, created_at) + make_interval(mins => expire_minutes)) < ${before})`

/** SQL: ended before a time, and its guest is not forgotten yet. */
const isDueSql = (before: string) => `${isOverSql(before)} and erased_at is null`

/**
 * SQL: an unused voucher without an end that was created before a time. An end that has passed did not end it: the controller could
 * not delete it. The service cannot delete a voucher without an id on the controller, or of an inactive site.
 */
const isUnusedSql = (before: string) => `status = 'valid' and created_at < ${before} and used_count = 0
  and expires_at is null and (valid_until <= now()) is not false and (unused_until <= now()) is not false
  and controller_voucher_id is not null and exists (select from sites where sites.id = vouchers.site_id and sites.active)
  and not exists (select from withdrawals w
                   where w.site_id = vouchers.site_id and w.voucher_id = vouchers.id and w.settled_at is null)`

const daysAgoSql = (days: string) => `(now() - make_interval(days => ${days}))`

/** SQL: the days of a site `s`. $1 are the days of all sites, $2 those of some sites, by their ids. Null: never. */
const daysOfSiteSql = `(case when $2::jsonb ? s.id::text then ($2::jsonb ->> s.id::text)::integer else $1::integer end)`

function daysOf({ forgetAfterDays, exceptions }: ForgettingRules): [number | null, string] {
  const bySite = exceptions.map(({ siteId, forgetAfterDays }) => [siteId, forgetAfterDays])
  return [forgetAfterDays, JSON.stringify(Object.fromEntries(bySite))]
}

/** `unusedDays`: the age at which unused vouchers without an end are revoked; null if they are left alone. */
export type SiteToForget = { siteId: number; days: number; unusedDays: number | null }

/**
 * Sites with guests that may be due, the earliest end first. Also inactive sites, because their vouchers are still recorded. None while
 * the service is held, because the record may be about to change.
 */
export async function listSitesToForget(db: Queryable, rules: ForgettingRules): Promise<SiteToForget[]> {
  const { rows } = await db.query<SiteToForget>(
    `select s.id as "siteId", days, days + $3::integer as "unusedDays"
       from (select id, ${daysOfSiteSql} as days from sites s where ${isNotHeldSql}) as s
       left join lateral (
              select ${endedAtSql} as ended_at from vouchers
               where site_id = s.id and status <> 'valid' and erased_at is null and ${endedAtSql} < ${daysAgoSql('days')}
               order by ${endedAtSql} limit 1) as ended on true
       left join lateral (
              select created_at from vouchers
               where site_id = s.id and status = 'valid' and created_at < ${daysAgoSql('days + $3::integer')}
               order by created_at limit 1) as unused on true
       left join lateral (
              select finished_at from batch_rows r join batches b on b.site_id = r.site_id and b.id = r.batch_id
               where r.site_id = s.id and r.state in ('failed', 'cancelled') and r.erased_at is null
                 and b.finished_at < ${daysAgoSql('days')} limit 1) as batch on true
      where days is not null and (ended.ended_at, unused.created_at, batch.finished_at) is distinct from (null, null, null)
      order by ended.ended_at, s.id`,
    [...daysOf(rules), rules.unusedAfterDays],
  )
  return rows
}

/** The end of a page: the last voucher on it. */
export type EndedVoucher = { id: string; endedAt: Date }

/** A page of vouchers of a site that ended more than `days` days ago, the earliest end first. */
export async function listVouchersToForget(
  db: Queryable,
  { siteId, days }: SiteToForget,
  { after, limit }: { after: EndedVoucher | undefined; limit: number },
): Promise<EndedVoucher[]> {
  const { rows } = await db.query<EndedVoucher>(
    `select id, ${endedAtSql} as "endedAt" from vouchers
      where site_id = $1 and ${isNotHeldSql} and ${isDueSql(daysAgoSql('$2'))}
        and ${endedAtSql} >= $3 and (${endedAtSql}, id) > ($3, $4)
      order by ${endedAtSql}, id limit $5`,
    [siteId, days, after?.endedAt ?? '-infinity', after?.id ?? '00000000-0000-0000-0000-000000000000', limit],
  )
  return rows
}

/**
 * Schedules the withdrawal of unused vouchers without an end, oldest first: the worker deletes them on the controller if nobody
 * has used them by then. They count as ended when their days were over. Not while the service is held. Returns how many.
 */
export async function withdrawUnusedVouchers(
  tx: Queryable,
  { siteId, days, unusedDays }: SiteToForget & { unusedDays: number },
  limit: number,
): Promise<number> {
  const { rowCount } = await tx.query(
    `with due as materialized (
       select id from vouchers
        where site_id = $1 and ${isNotHeldSql} and ${isUnusedSql(daysAgoSql('$2'))}
        order by created_at, id limit $4 for update skip locked
     ), ended as (
       update vouchers set unused_until = least(unused_until, created_at + make_interval(hours => 24 * ($2 - $3)))
         from due where vouchers.site_id = $1 and vouchers.id = due.id
       returning vouchers.id
     )
     insert into withdrawals (site_id, id, voucher_id, reason, only_unused, is_bulk, due_at, next_attempt_at)
     select $1, uuid_v7(), id, 'unused', true, true, now(), now() from ended`,
    [siteId, unusedDays, days, limit],
  )
  return rowCount ?? 0
}

/** What the next run would do. `isMore`: counting stopped at the limit. */
export type ForgettingCounts = { guests: number; vouchers: number; sites: number; revoked: number; isMore: boolean }

/** Counts what a run with these rules would forget now. Reads at most `limit` vouchers of each kind. */
export async function countVouchersToForget(
  db: Queryable,
  rules: ForgettingRules,
  limit: number,
): Promise<ForgettingCounts> {
  const { rows } = await db.query<ForgettingCounts>(
    `with s as materialized (
       select id, ${daysOfSiteSql} as days from sites s
        where ${daysOfSiteSql} is not null
     ), ended as materialized (
       select s.id as site_id, name from s, lateral (
         select name from vouchers where site_id = s.id and ${isDueSql(daysAgoSql('s.days'))} limit $4) as due
        limit $4
     ), unused as materialized (
       select from s, lateral (
         select from vouchers where site_id = s.id and ${isUnusedSql(daysAgoSql('s.days + $3::integer'))} limit $4) as due
        limit $4
     )
     select (select count(*) from (select distinct site_id, name from ended) as guests)::integer as guests,
            count(*)::integer as vouchers, count(distinct site_id)::integer as sites,
            (select count(*) from unused)::integer as revoked,
            count(*) = $4 or (select count(*) from unused) = $4 as "isMore"
       from ended`,
    [...daysOf(rules), rules.unusedAfterDays, limit],
  )
  return rows[0] as ForgettingCounts
}

/** A voucher of a controller's list. */
type ListedId = { id: string; code: string }

/**
 * The listed vouchers that this service created and that, by the record too, ended more than `days` days ago, the earliest end
 * first. A voucher with another code is another voucher. A voucher that is being withdrawn is left to its withdrawal.
 */
export async function listEndedOnController(
  db: Queryable,
  { siteId, days }: Pick<SiteToForget, 'siteId' | 'days'>,
  listed: ListedId[],
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<ListedId>(
    `select listed.id
       from unnest($3::text[], $4::text[]) as listed (id, code)
       join vouchers on site_id = $1 and controller_voucher_id = listed.id and vouchers.code = listed.code
      where creation_id is not null and status in ('used', 'expired') and ${isOverSql(daysAgoSql('$2'))}
        and not exists (select from withdrawals w
                         where w.site_id = $1 and w.voucher_id = vouchers.id and w.settled_at is null)
      order by ${endedAtSql} limit $5`,
    [siteId, days, listed.map(({ id }) => id), listed.map(({ code }) => code), limit],
  )
  return rows.map(({ id }) => id)
}
