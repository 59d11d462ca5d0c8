import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { UnreachableReason } from '#drivers/driver.ts'
import type { ReachableController } from '../controllers/controllers.ts'
import { type SiteOnController, siteOnControllerColumns } from '../sites/sites.queries.ts'
import type { ScheduledController } from './probe-schedule.ts'

/** A controller that is probed while nobody calls it. */
export type IdleController = ScheduledController & ReachableController

export type Outage = { controllerId: string; controller: string; since: Date; until: Date | null }

const outageColumns = `controller_id as "controllerId", since, until,
  (select name from controllers where id = controller_id) as controller`

export async function hasOutage(db: Queryable, controllerId: string): Promise<boolean> {
  const { rowCount } = await db.query(`select from controller_outages where controller_id = $1 and until is null`, [
    controllerId,
  ])
  return rowCount === 1
}

/** Undefined when the controller has an outage already. */
export async function startOutage(
  db: Queryable,
  controllerId: string,
  reason: UnreachableReason | null = null,
): Promise<Outage | undefined> {
  const { rows } = await db.query<Outage>(
    `insert into controller_outages (controller_id, reason) values ($1, $2)
     on conflict (controller_id) where until is null do nothing
     returning ${outageColumns}`,
    [controllerId, reason],
  )
  return rows[0]
}

/** Stores what the last probe found. Writes only a changed reason. */
export async function updateOutageReason(
  db: Queryable,
  controllerId: string,
  reason: UnreachableReason,
): Promise<void> {
  await db.query(
    `update controller_outages set reason = $2
      where controller_id = $1 and until is null and reason is distinct from $2`,
    [controllerId, reason],
  )
}

/** Undefined when the controller has no outage. */
export async function endOutage(db: Queryable, controllerId: string): Promise<Outage | undefined> {
  const { rows } = await db.query<Outage>(
    `update controller_outages set until = now() where controller_id = $1 and until is null
     returning ${outageColumns}`,
    [controllerId],
  )
  return rows[0]
}

/** The pause grows with the outage. It is at least 3 s because a probe of a controller that hangs takes that long. */
const untilNextProbe = `greatest(interval '3 seconds', least(interval '15 seconds', (now() - o.since) / 4))`

/**
 * Takes controllers that are out of reach and due for a probe, each with one of its sites, preferably an active one.
 * Controllers with only inactive sites are probed too, because vouchers on inactive sites are still withdrawn.
 */
export async function takeDueProbes(db: Queryable, limit: number): Promise<SiteOnController[]> {
  const { rows } = await db.query<SiteOnController>(
    `with due as (
       select controller_id, since from controller_outages
        where until is null and next_probe_at <= now()
        order by next_probe_at limit $1 for update skip locked
     ), taken as (
       update controller_outages o set next_probe_at = now() + ${untilNextProbe}
         from due
        where o.controller_id = due.controller_id and o.since = due.since
       returning o.controller_id
     )
     select distinct on (c.id) ${siteOnControllerColumns}
       from taken join controllers c on c.id = taken.controller_id join sites s on s.controller_id = c.id
      order by c.id, s.active desc, s.id`,
    [limit],
  )
  return rows
}

/**
 * Controllers that are not out of reach, with the time since the last sync of one of their sites. A controller without a site or
 * credentials is left out: its outage could not be confirmed, and nobody would end it.
 */
export async function listControllersToProbe(db: Queryable): Promise<IdleController[]> {
  const { rows } = await db.query<IdleController>(
    `select c.id, c.driver, c.address, c.certificate_pin as "certificatePin",
            extract(epoch from now() - s.synced_at)::float * 1000 as "idleMs"
       from controllers c
       join (select controller_id, max(synced_at) as synced_at from sites group by controller_id) s on s.controller_id = c.id
      where c.secret is not null
        and not exists (select from controller_outages o where o.controller_id = c.id and o.until is null)`,
  )
  return rows
}

/** One of the sites of a controller, preferably an active one. */
export async function findSiteToProbe(db: Queryable, controllerId: string): Promise<SiteOnController | undefined> {
  const { rows } = await db.query<SiteOnController>(
    `select ${siteOnControllerColumns} from controllers c join sites s on s.controller_id = c.id
      where c.id = $1 order by s.active desc, s.id limit 1`,
    [controllerId],
  )
  return rows[0]
}

/** The overview shows 30 days, and when the last outage ended. So the last outage of each controller stays. */
export const endedOutages: Retention = {
  table: 'controller_outages',
  key: 'controller_id, since',
  since: 'until',
  keptFor: `interval '400 days'`,
  deletableIf: `exists (select from controller_outages later
                   where later.controller_id = controller_outages.controller_id and later.since > controller_outages.since)`,
}
