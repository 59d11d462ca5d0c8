import type { Queryable } from '#db/database.ts'
import { type SiteProblem, type SiteStateName, siteStateSql, withOutageSql } from '../sites/site-states.queries.ts'
import { mayUseSiteSql } from '../sites/sites.queries.ts'
import { isVisibleSql } from '../webhooks/webhooks.queries.ts'
import { inScopeSql, type OverviewScope } from './issued.queries.ts'

/** At most this many lines of one kind are shown: nobody reads more before the first ones are fixed. */
const atMost = 50

export type SiteOnWall = { id: number; name: string; state: SiteStateName }

/** The sites by number. */
export async function listWall(db: Queryable, scope: OverviewScope, limit: number): Promise<SiteOnWall[]> {
  const { rows } = await db.query<SiteOnWall>(
    `select s.id, s.name, ${siteStateSql} as state
       from sites s ${withOutageSql} where ${inScopeSql('s.id')} order by s.id limit $3`,
    [scope.onlySitesOf, scope.siteId, limit],
  )
  return rows
}

export async function countSites(db: Queryable, scope: OverviewScope): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from sites s where ${inScopeSql('s.id')}`,
    [scope.onlySitesOf, scope.siteId],
  )
  return rows[0]?.count ?? 0
}

export type FailingController = {
  id: string
  name: string
  problem: SiteProblem
  since: Date | null
  sites: number
  /** A site of the controller; its only one if `sites` is 1. */
  siteId: number
  site: string
}

/** Controllers that some of their active sites cannot use, longest first. */
export async function listFailingControllers(db: Queryable, scope: OverviewScope): Promise<FailingController[]> {
  const { rows } = await db.query<FailingController>(
    `select c.id, c.name, failing.problem, min(failing.since) as since, count(*)::integer as sites,
            min(failing.site_id) as "siteId", (array_agg(failing.site order by failing.site_id))[1] as site
       from (select s.controller_id, s.id as site_id, s.name as site, ${siteStateSql} as problem,
                    coalesce(o.since, s.sync_failing_since) as since
               from sites s ${withOutageSql} where ${inScopeSql('s.id')}) as failing
       join controllers c on c.id = failing.controller_id
      where failing.problem not in ('reachable', 'unknown', 'inactive')
      group by c.id, failing.problem
      order by since, c.name
      limit ${atMost}`,
    [scope.onlySitesOf, scope.siteId],
  )
  return rows
}

export type FailingWebhook = {
  id: string
  name: string
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: string | null
  /** The number of deliveries since the first failure that have not arrived. Counting stops at 1,000. */
  undelivered: number
}

/** Webhooks that fail or are disabled, the disabled ones first. With a site, only those that get its events. */
export async function listFailingWebhooks(db: Queryable, scope: OverviewScope): Promise<FailingWebhook[]> {
  const { rows } = await db.query<FailingWebhook>(
    `select id, name, failing_since as "failingSince", disabled_at as "disabledAt", disabled_reason as "disabledReason",
            (select count(*)::integer from (
               select from deliveries d where d.webhook_id = webhooks.id and d.created_at >= failing_since
                  and d.state <> 'delivered' limit 1000) as late) as undelivered
       from webhooks
      where (failing_since is not null or disabled_at is not null) and ${isVisibleSql('$1')}
        and ($2::integer is null or all_sites
             or exists (select from webhook_sites w where w.webhook_id = webhooks.id and w.site_id = $2))
      order by disabled_at is null, coalesce(disabled_at, failing_since), name
      limit ${atMost}`,
    [scope.onlySitesOf, scope.siteId],
  )
  return rows
}

export type TroubledKey = {
  id: string
  name: string
  /** Requests of today that were rejected because the key had reached its limit. */
  limited: number
  expiresAt: Date | null
  lastUsedAt: Date | null
}

/** Keys that reached their limit more than ten times today, or that expire within 14 days. */
export async function listTroubledKeys(db: Queryable, siteId: number | null, today: string): Promise<TroubledKey[]> {
  const { rows } = await db.query<TroubledKey>(
    `select k.id, k.name, coalesce(d.limited, 0)::integer as limited, k.expires_at as "expiresAt",
            (select max(last_used_at) from api_key_secrets where api_key_id = k.id) as "lastUsedAt"
       from api_keys k left join api_key_days d on d.api_key_id = k.id and d.day = $2::date
      where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
        and (d.limited > 10 or k.expires_at < now() + interval '14 days')
        and ($1::integer is null or k.all_sites
             or exists (select from api_key_sites s where s.api_key_id = k.id and s.site_id = $1))
      order by k.expires_at nulls last, k.name
      limit ${atMost}`,
    [siteId, today],
  )
  return rows
}

export type StalledBatch = { siteId: number; id: string; site: string; stalledSince: Date }

/** Batches that wait for their controller, longest first. */
export async function listStalledBatches(db: Queryable, scope: OverviewScope): Promise<StalledBatch[]> {
  const { rows } = await db.query<StalledBatch>(
    `select b.site_id as "siteId", b.id, s.name as site, b.held_up_since as "stalledSince"
       from batches b join sites s on s.id = b.site_id
      where b.finished_at is null and b.held_up_since is not null and ${inScopeSql('b.site_id')}
      order by b.held_up_since, b.id
      limit ${atMost}`,
    [scope.onlySitesOf, scope.siteId],
  )
  return rows
}

export type SiteWithUnrecorded = { id: number; name: string; vouchers: number }

/** Active sites whose controller has vouchers that seem to be ours but are not in the record, most first. */
export async function listSitesWithUnrecorded(db: Queryable, scope: OverviewScope): Promise<SiteWithUnrecorded[]> {
  const { rows } = await db.query<SiteWithUnrecorded>(
    `select s.id, s.name, s.unrecorded as vouchers from sites s
      where s.active and s.unrecorded > 0 and ${inScopeSql('s.id')}
      order by s.unrecorded desc, s.id
      limit ${atMost}`,
    [scope.onlySitesOf, scope.siteId],
  )
  return rows
}

export type ControllerOfSite = { name: string; createdAt: Date; syncedAt: Date | null; now: Date }

/** The controller of a site. Undefined also when the actor may not use the site. */
export async function findControllerOfSite(
  db: Queryable,
  siteId: number,
  onlySitesOf: string | null,
): Promise<ControllerOfSite | undefined> {
  const { rows } = await db.query<ControllerOfSite>(
    `select c.name, c.created_at as "createdAt", s.synced_at as "syncedAt", now() as now
       from sites s join controllers c on c.id = s.controller_id where s.id = $2 and ${mayUseSiteSql('$1', 's.id')}`,
    [onlySitesOf, siteId],
  )
  return rows[0]
}

/** Outages of the controller of a site that lasted beyond this time, earliest first. */
export async function listOutagesOfSite(
  db: Queryable,
  siteId: number,
  after: Date,
): Promise<{ since: Date; until: Date | null }[]> {
  const { rows } = await db.query<{ since: Date; until: Date | null }>(
    `select o.since, o.until from controller_outages o join sites s on s.controller_id = o.controller_id
      where s.id = $1 and (o.until is null or o.until > $2) order by o.since`,
    [siteId, after],
  )
  return rows
}

/** The newest outage of the controller of a site. */
export async function findLastOutage(db: Queryable, siteId: number): Promise<{ until: Date | null } | undefined> {
  const { rows } = await db.query<{ until: Date | null }>(
    `select until from controller_outages where controller_id = (select controller_id from sites where id = $1)
      order by since desc limit 1`,
    [siteId],
  )
  return rows[0]
}
