import type { Queryable } from '#db/database.ts'
import type { UnreachableReason } from '#drivers/driver.ts'
import { isCertificateOutageSql } from '../controllers/controller-states.queries.ts'
import { mayUseSiteSql } from './sites.queries.ts'

/** The reason why a site cannot use its controller. */
export type SiteProblem = 'unreachable' | 'certificate' | 'sign_in_refused' | 'failing'

/** `unknown`: the site was never synced. */
export type SiteStateName = 'reachable' | 'unknown' | 'inactive' | SiteProblem

/** SQL for the open outage `o` of the controller of a site `s`. */
export const withOutageSql = `left join controller_outages o on o.controller_id = s.controller_id and o.until is null`

/**
 * SQL for the state of a site `s` with its outage `o`: the only definition, for every page and operation. A failure of
 * the sync that may end by itself counts after ten minutes.
 */
export const siteStateSql = `case
    when not s.active then 'inactive'
    when ${isCertificateOutageSql} then 'certificate'
    when o.since is not null then 'unreachable'
    when s.sync_failure = 'sign_in' then 'sign_in_refused'
    when s.sync_failure in ('forbidden', 'missing', 'insecure') then 'failing'
    when s.sync_failure is not null and s.sync_failing_since < now() - interval '10 minutes' then 'failing'
    when s.synced_at is null then 'unknown'
    else 'reachable' end`

/** A site with the state of its controller and of its last sync. */
export type SiteState = {
  id: number
  state: SiteStateName
  name: string
  active: boolean
  controllerId: string
  controllerName: string
  unreachableSince: Date | null
  unreachableReason: UnreachableReason | null
  syncedAt: Date | null
  syncFailure: string | null
  syncFailingSince: Date | null
  unrecorded: number
  /** Null: the time zone of the service. */
  timeZone: string | null
  /** The vouchers that were created in the last 30 days. */
  recentVouchers: number
}

/** $2 is the present day of the service. */
const stateColumns = `s.id, ${siteStateSql} as state, s.name, s.active, s.controller_id as "controllerId", c.name as "controllerName",
  o.since as "unreachableSince", o.reason as "unreachableReason", s.synced_at as "syncedAt",
  s.sync_failure as "syncFailure", s.sync_failing_since as "syncFailingSince", s.unrecorded,
  s.time_zone as "timeZone",
  coalesce((select sum(created) from site_days where site_id = s.id and day > $2::date - 30 and day <= $2::date), 0)::integer
    as "recentVouchers"`
const withControllerSql = `join controllers c on c.id = s.controller_id ${withOutageSql}`

/** Active and inactive sites by id, page by page. */
export async function listSiteStates(
  db: Queryable,
  options: { onlySitesOf: string | null; today: string; after: number; limit: number },
): Promise<SiteState[]> {
  const { rows } = await db.query<SiteState>(
    `select ${stateColumns} from sites s ${withControllerSql}
      where s.id > $3 and ${mayUseSiteSql('$1', 's.id')}
      order by s.id
      limit $4`,
    [options.onlySitesOf, options.today, options.after, options.limit],
  )
  return rows
}

/** Undefined also when the actor may not use the site. */
export async function findSiteState(
  db: Queryable,
  id: number,
  { onlySitesOf, today }: { onlySitesOf: string | null; today: string },
): Promise<SiteState | undefined> {
  const { rows } = await db.query<SiteState>(
    `select ${stateColumns} from sites s ${withControllerSql} where s.id = $3 and ${mayUseSiteSql('$1', 's.id')}`,
    [onlySitesOf, today, id],
  )
  return rows[0]
}

/** The oldest of the last sync times of these sites; null if one of them was never synced. */
export async function findOldestSync(db: Queryable, ids: number[]): Promise<Date | null> {
  const { rows } = await db.query<{ oldest: Date | null }>(
    `select case when bool_and(synced_at is not null) then min(synced_at) end as oldest from sites where id = any ($1)`,
    [ids],
  )
  return rows[0]?.oldest ?? null
}

/** The given sites without those that do not exist or that the actor may not use. */
export async function listAllowedSiteIds(db: Queryable, ids: number[], onlySitesOf: string | null): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select s.id from sites s where s.id = any($2::integer[]) and ${mayUseSiteSql('$1', 's.id')}`,
    [onlySitesOf, ids],
  )
  return rows.map(({ id }) => id)
}

/** The sites of an actor that may not use all. */
export async function listSiteIdsOf(db: Queryable, actorId: string): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select site_id as id from api_key_sites where api_key_id = $1
     union all
     select site_id from staff_sites where staff_id = $1`,
    [actorId],
  )
  return rows.map(({ id }) => id)
}
