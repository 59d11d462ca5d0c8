import type { Queryable } from '#db/database.ts'
import { sitesOfActorSql } from '../sites/sites.queries.ts'

/** The sites of an overview: those that the actor may use, or one of them. */
export type OverviewScope = { onlySitesOf: string | null; siteId: number | null }

/**
 * SQL that is true for the sites of an overview. $1 and $2 are its scope. PostgreSQL reads the sites of the actor once; with
 * `mayUseSiteSql` it would look them up for each row, which took 1.4 s for a manager of 150 sites with 50,000 vouchers.
 */
export const inScopeSql = (siteId: string) =>
  `($2::integer is null or ${siteId} = $2) and ($1::uuid is null or ${siteId} in (${sitesOfActorSql('$1')}))`

/** The last days up to `today`. */
export type Period = { today: string; days: number }

const inPeriodSql = `day > $3::date - $4::integer and day <= $3::date`

const scopeAndPeriod = ({ onlySitesOf, siteId }: OverviewScope, { today, days }: Period) => [
  onlySitesOf,
  siteId,
  today,
  days,
]

/** `redeemed`: how many of the issued vouchers somebody has used since then. */
export type IssuedDay = { day: string; issued: number; redeemed: number }

/** Every day of the period, also those without vouchers, earliest first. */
export async function listIssuedDays(db: Queryable, scope: OverviewScope, period: Period): Promise<IssuedDay[]> {
  const { rows } = await db.query<IssuedDay>(
    `with counted as (
       select day, sum(created) as issued, sum(created_redeemed) as redeemed
         from site_days where ${inPeriodSql} and ${inScopeSql('site_days.site_id')}
        group by day
     )
     select period.day::text, coalesce(issued, 0)::integer as issued, coalesce(redeemed, 0)::integer as redeemed
       from (select $3::date - ago as day from generate_series(0, $4::integer - 1) as ago) as period
       left join counted on counted.day = period.day
      order by period.day`,
    scopeAndPeriod(scope, period),
  )
  return rows
}

export type BusySite = { id: number; name: string; issued: number }

/** The sites with the most vouchers of the period. */
export async function listBusiestSites(
  db: Queryable,
  scope: OverviewScope,
  period: Period,
  limit: number,
): Promise<BusySite[]> {
  const { rows } = await db.query<BusySite>(
    `select s.id, s.name, busiest.issued::integer as issued
       from (select site_id, sum(created) as issued
               from site_days where ${inPeriodSql} and ${inScopeSql('site_days.site_id')}
              group by site_id having sum(created) > 0
              order by issued desc, site_id limit $5) as busiest
       join sites s on s.id = busiest.site_id
      order by busiest.issued desc, s.id`,
    [...scopeAndPeriod(scope, period), limit],
  )
  return rows
}

/** `kind` is `controller` for adopted vouchers, which somebody created there. They have no id and no name. */
export type IssuedBy = { kind: 'key' | 'staff' | 'controller'; id: string | null; name: string | null; issued: number }

/** SQL for the name of a maker, from a row of `named`. */
const makerNameSql = `case kind
  when 'key' then (select name from api_keys where api_keys.id = named.id)
  when 'staff' then (select name from staff where staff.id = named.id) end`

/** The keys and people who created the vouchers of the period, most first. */
export async function listMakers(db: Queryable, scope: OverviewScope, period: Period): Promise<IssuedBy[]> {
  const { rows } = await db.query<IssuedBy>(
    `with counted as (
       select maker, sum(count::integer)::integer as issued
         from site_days, jsonb_each_text(created_by) as counts (maker, count)
        where ${inPeriodSql} and ${inScopeSql('site_days.site_id')}
        group by maker
     ), named as (
       select split_part(maker, ':', 1) as kind, nullif(split_part(maker, ':', 2), '')::uuid as id, issued from counted
     )
     select kind, id, issued, ${makerNameSql} as name
       from named order by issued desc, kind, id`,
    scopeAndPeriod(scope, period),
  )
  return rows
}

/** How many vouchers end within 24 hours because their minutes run out. Reads only the index of those that run. */
export async function countEndingSoon(db: Queryable, { onlySitesOf, siteId }: OverviewScope): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from vouchers
      where status in ('valid', 'used') and not end_told and expires_at is not null
        and expires_at > now() and expires_at <= now() + interval '24 hours' and ${inScopeSql('vouchers.site_id')}`,
    [onlySitesOf, siteId],
  )
  return rows[0]?.count ?? 0
}

export type SiteTotal = { site: string; issued: number; redeemed: number }

/** All sites of the scope by name, with the vouchers of the period. */
export async function listSiteTotals(
  db: Queryable,
  scope: OverviewScope,
  period: Period,
  limit: number,
): Promise<SiteTotal[]> {
  const { rows } = await db.query<SiteTotal>(
    `select s.name as site, coalesce(sum(created), 0)::integer as issued, coalesce(sum(created_redeemed), 0)::integer as redeemed
       from sites s left join site_days on site_id = s.id and ${inPeriodSql}
      where ${inScopeSql('s.id')}
      group by s.id
      order by s.name, s.id
      limit $5`,
    [...scopeAndPeriod(scope, period), limit],
  )
  return rows
}

export type MakerTotal = Omit<IssuedBy, 'id'> & { site: string }

/** How many vouchers of the period each key and person created at each site: by the name of the site, most first. */
export async function listMakerTotals(
  db: Queryable,
  scope: OverviewScope,
  period: Period,
  limit: number,
): Promise<MakerTotal[]> {
  const { rows } = await db.query<MakerTotal>(
    `with counted as (
       select site_id, maker, sum(count::integer)::integer as issued
         from site_days, jsonb_each_text(created_by) as counts (maker, count)
        where ${inPeriodSql} and ${inScopeSql('site_days.site_id')}
        group by site_id, maker
     ), named as (
       select site_id, split_part(maker, ':', 1) as kind, nullif(split_part(maker, ':', 2), '')::uuid as id, issued from counted
     )
     select s.name as site, kind, issued, ${makerNameSql} as name
       from named join sites s on s.id = named.site_id
      order by s.name, s.id, issued desc, kind, named.id
      limit $5`,
    [...scopeAndPeriod(scope, period), limit],
  )
  return rows
}
