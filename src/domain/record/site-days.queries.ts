import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'

/** The column `created_by` has the counts by maker. */
type Column = 'created' | 'created_redeemed' | 'created_by' | 'redeemed' | 'revoked'

/** SQL that adds the counts of an insert to a day that is known already. */
export function addingToSql(columns: Column[]): string {
  const sum = (column: Column) =>
    column === 'created_by'
      ? 'add_counts(known.created_by, excluded.created_by)'
      : `known.${column} + excluded.${column}`
  return `on conflict (site_id, day) do update set ${columns.map((column) => `${column} = ${sum(column)}`).join(', ')}`
}

/**
 * SQL that counts changes in the same statement that makes them. With two statements, a sync that fails between them would never
 * count the changes. The SQL locks the list's version before the days (see "Lock order" in README.md).
 *
 * `counts` selects the day and the columns, and may depend on the statement's changes. $1 is the site.
 */
export function moveDaysSql(columns: Exclude<Column, 'created_by'>[], counts: string): string {
  const sums = columns.map((column) => `sum(${column})::integer as ${column}`).join(', ')
  return `insert into site_days as known (site_id, day, ${columns.join(', ')})
   select $1, moved.*
     from (select day, ${sums} from (${counts}) as changed group by day) as moved,
          lateral (select count(*) from (
            select from site_versions where site_id = $1 and moved.day is not null for no key update) as version) as locked
    where (${columns.map((column) => `moved.${column} <> 0`).join(' or ')})
    order by day
   ${addingToSql(columns)}`
}

/** SQL that changes the version of the list of site $1 if `changed` has rows. The first vouchers of a site insert it. */
export const newListVersionSql = (changed: string) => `
     insert into site_versions (site_id, version)
     select $1, gen_random_uuid() from (select count(*) from ${changed}) as all_changed (count) where count > 0
     on conflict (site_id) do update set version = excluded.version
     returning site_id`

/**
 * SQL that counts adopted vouchers on the days for which they were issued, like `moveDaysSql`. The first vouchers of a site may be
 * adopted, and then there is no version to lock: it is inserted. `adopted` has `issued_on` and `used_count`.
 */
export const countAdoptedSql = `version as (${newListVersionSql('adopted')}
   ), counted as (
     insert into site_days as known (site_id, day, created, created_redeemed, created_by)
     select site_id, issued_on, count(*), count(*) filter (where used_count > 0), jsonb_build_object('controller', count(*))
       from adopted, version
      group by site_id, issued_on
      order by issued_on
     ${addingToSql(['created', 'created_redeemed', 'created_by'])}
   )`

/**
 * Counts the days of a record that was written as a whole and has no counts yet. Every use and revocation counts on the day on which
 * it happened.
 */
export async function insertCountsOfDays(tx: Queryable, timeZone: string): Promise<void> {
  await tx.query(
    `with changes as materialized (
       select site_id, change.*
         from vouchers, lateral (values
                (issued_on, 1, (used_count > 0)::integer, 0, 0,
                 coalesce('key:' || api_key_id, 'staff:' || staff_id, 'controller')),
                ((first_used_at at time zone $1)::date, 0, 0, 1, 0, null),
                ((revoked_at at time zone $1)::date, 0, 0, 0, 1, null))
              as change (day, created, created_redeemed, redeemed, revoked, maker)
        where change.day is not null
     ), makers as (
       select site_id, day, jsonb_object_agg(maker, created) as created_by
         from (select site_id, day, maker, sum(created) as created
                 from changes where maker is not null group by site_id, day, maker) as by_maker
        group by site_id, day
     ), counted as (
       select site_id, day, sum(created) as created, sum(created_redeemed) as created_redeemed, sum(redeemed) as redeemed,
              sum(revoked) as revoked
         from changes group by site_id, day
     )
     insert into site_days (site_id, day, created, created_redeemed, redeemed, revoked, created_by)
     select site_id, day, created, created_redeemed, redeemed, revoked, coalesce(created_by, '{}')
       from counted left join makers using (site_id, day)
      order by site_id, day`,
    [timeZone],
  )
}

/** The overview shows 90 days. The older days are for a comparison with the year before. */
export const daysOfSites: Retention = {
  table: 'site_days',
  key: 'site_id, day',
  since: 'day',
  keptFor: `interval '400 days'`,
}
