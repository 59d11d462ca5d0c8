import type { Queryable } from '#db/database.ts'
import type { UnreachableReason } from '#drivers/driver.ts'
import { literalLike } from '#lib/literal-like.ts'
import { isCertificateOutageSql } from '../controllers/controller-states.queries.ts'
import { mayUseSiteSql, sitesOfActorSql } from './sites.queries.ts'

/** The reason why a site cannot use its controller. */
export const siteProblems = ['unreachable', 'certificate', 'sign_in_refused', 'failing'] as const
export type SiteProblem = (typeof siteProblems)[number]

/** `unknown`: the site was never synced. */
export const siteStates = ['reachable', ...siteProblems, 'unknown', 'inactive'] as const
export type SiteStateName = (typeof siteStates)[number]

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

/** Which sites a list has. */
export type SiteFilter = {
  /** The actor whose sites these are; null: all sites. */
  onlySitesOf: string | null
  ids?: number[] | undefined
  active?: boolean | undefined
  state?: SiteStateName | undefined
  controllerId?: string | undefined
  /** Words that are each part of the name of the site, the name of its controller, or its number. */
  text?: string | undefined
  /** Words that are each part of the name of the site. */
  name?: string | undefined
}

/** The most words of a search that count. */
const mostWords = 8

/**
 * SQL for the filter of a site `s` with its controller `c` and its outage `o`. It is made for each request, without conditions that
 * are not wanted: so an index for the order can be used, and an actor with three sites of many reads only these.
 */
function filterSql(
  { onlySitesOf, ids, active, state, controllerId, text, name }: SiteFilter,
  values: unknown[],
): string {
  const add = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    ...(active === undefined ? [] : [active ? 's.active' : 'not s.active']),
    ...(state === undefined ? [] : [`${siteStateSql} = ${add(state)}`]),
    ...(controllerId === undefined ? [] : [`s.controller_id = ${add(controllerId)}`]),
    ...(ids === undefined ? [] : [`s.id = any (${add(ids)}::integer[])`]),
    ...patternsOf(text)
      .map(add)
      .map((word) => `(s.name ilike ${word} or c.name ilike ${word} or s.id::text like ${word})`),
    ...patternsOf(name).map((word) => `s.name ilike ${add(word)}`),
  ]
  if (onlySitesOf !== null) {
    conditions.push(`s.id = any (array(${sitesOfActorSql(add(onlySitesOf))}))`)
  }
  return conditions.length === 0 ? 'true' : conditions.join(' and ')
}

function patternsOf(words = ''): string[] {
  return words
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, mostWords)
    .map((word) => `%${literalLike(word)}%`)
}

type SitePage = SiteFilter & { today: string; limit: number }

/** Active and inactive sites by id, page by page. */
export async function listSiteStates(db: Queryable, { today, after, limit, ...filter }: SitePage & { after: number }) {
  const values: unknown[] = [limit, today, after]
  const { rows } = await db.query<SiteState>(
    `select ${stateColumns} from sites s ${withControllerSql}
      where s.id > $3 and ${filterSql(filter, values)}
      order by s.id
      limit $1`,
    values,
  )
  return rows
}

/** The groups of sites that are listed one after the other. */
export const siteGroups = { name: ['active', 'inactive'], state: ['failing', 'working', 'inactive'] } as const
export type SiteGroup = (typeof siteGroups)['name' | 'state'][number]
/** The place of a site: its group, and in the group by name. */
export type SitePlace = { group: SiteGroup; name: string; id: number }

const isFailingSql = `${siteStateSql} not in ('reachable', 'unknown')`
const groupSql: Record<SiteGroup, string> = {
  active: 's.active',
  failing: `s.active and ${isFailingSql}`,
  working: `s.active and not ${isFailingSql}`,
  inactive: 'not s.active',
}

export type PlacedSite = SiteState & { group: SiteGroup }

/**
 * Sites in groups, and by name within each, page by page: active ones before inactive ones, or failing ones before the others. The
 * index `sites_by_name` has the active ones in this order.
 */
export async function listSiteStatesByName(
  db: Queryable,
  { after, limit, order = 'name', ...page }: SitePage & { after: SitePlace | undefined; order?: 'name' | 'state' },
): Promise<PlacedSite[]> {
  const found: PlacedSite[] = []
  const groups: readonly SiteGroup[] = siteGroups[order]
  for (const group of groups.slice(after ? groups.indexOf(after.group) : 0)) {
    if (page.active === (group === 'inactive')) continue // none of its sites are wanted
    const behind = after?.group === group ? after : undefined
    if (found.length < limit)
      found.push(...(await listGroup(db, group, { ...page, after: behind, limit: limit - found.length })))
  }
  return found
}

async function listGroup(
  db: Queryable,
  group: SiteGroup,
  { today, after, limit, ...filter }: SitePage & { after: SitePlace | undefined },
): Promise<PlacedSite[]> {
  const values: unknown[] = [limit, today, ...(after ? [after.name, after.id] : [])]
  const { rows } = await db.query<SiteState>(
    `select ${stateColumns} from sites s ${withControllerSql}
      where ${after ? '(s.name, s.id) > ($3, $4::integer) and ' : ''}${groupSql[group]} and ${filterSql(filter, values)}
      order by s.name, s.id
      limit $1`,
    values,
  )
  return rows.map((site) => ({ ...site, group }))
}

export type SiteCount = { state: SiteStateName; count: number }

/** The number of sites in each state, without states that no site has. */
export async function countSitesByState(db: Queryable, onlySitesOf: string | null): Promise<SiteCount[]> {
  const values: unknown[] = []
  const { rows } = await db.query<SiteCount>(
    `select ${siteStateSql} as state, count(*)::integer as count
       from sites s ${withOutageSql} where ${filterSql({ onlySitesOf }, values)} group by 1`,
    values,
  )
  return rows
}

/** All sites of a controller that fail in the same way. */
export type FailingSites = {
  state: SiteProblem
  controllerId: string
  controllerName: string
  since: Date | null
  reason: UnreachableReason | null
  count: number
  /** The number of any one of these sites. */
  siteId: number
}

/** The causes of failures that concern most sites. */
export async function listFailingSites(
  db: Queryable,
  { onlySitesOf, limit }: { onlySitesOf: string | null; limit: number },
): Promise<FailingSites[]> {
  const values: unknown[] = [limit]
  const { rows } = await db.query<FailingSites>(
    `select failing.state, c.id as "controllerId", c.name as "controllerName", min(failing.since) as since,
            max(failing.reason) as reason, count(*)::integer as count, min(failing.id) as "siteId"
       from (select s.id, s.controller_id, ${siteStateSql} as state, coalesce(o.since, s.sync_failing_since) as since, o.reason
               from sites s ${withOutageSql} where ${filterSql({ onlySitesOf, active: true }, values)}) as failing
       join controllers c on c.id = failing.controller_id
      where failing.state not in ('reachable', 'unknown', 'inactive')
      group by c.id, failing.state
      order by count(*) desc, c.name
      limit $1`,
    values,
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
  const { rows } = await db.query<{ site_id: number }>(sitesOfActorSql('$1'), [actorId])
  return rows.map((row) => row.site_id)
}
