import type { Retention } from '#db/retention.queries.ts'

/** The column `created_by` has the counts by maker. */
type Column = 'created' | 'created_redeemed' | 'created_by' | 'redeemed' | 'revoked'

/** SQL that adds the counts of an insert to a day that is known already. */
function addingToSql(columns: Column[]): string {
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

/**
 * SQL that counts adopted vouchers on the days for which they were issued, like `moveDaysSql`. The first vouchers of a site may be
 * adopted, and then there is no version to lock: it is inserted. `adopted` has `issued_on` and `used_count`.
 */
export const countAdoptedSql = `version as (
     insert into site_versions (site_id, version)
     select $1, gen_random_uuid() from (select count(*) from adopted) as all_adopted (count) where count > 0
     on conflict (site_id) do update set version = excluded.version
     returning site_id
   ), counted as (
     insert into site_days as known (site_id, day, created, created_redeemed, created_by)
     select site_id, issued_on, count(*), count(*) filter (where used_count > 0), jsonb_build_object('controller', count(*))
       from adopted, version
      group by site_id, issued_on
      order by issued_on
     ${addingToSql(['created', 'created_redeemed', 'created_by'])}
   )`

/** The overview shows 90 days. The older days are for a comparison with the year before. */
export const daysOfSites: Retention = {
  table: 'site_days',
  key: 'site_id, day',
  since: 'day',
  keptFor: `interval '400 days'`,
}
