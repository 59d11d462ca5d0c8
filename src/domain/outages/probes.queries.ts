import type { Queryable } from '#db/database.ts'
import { takeDueProbesSql } from '../controllers/controller-outages.queries.ts'
import type { ReachableController } from '../controllers/controllers.ts'
import { type SiteOnController, siteOnControllerColumnsSql } from '../sites/sites.queries.ts'
import type { ScheduledController } from './probe-schedule.ts'

/** A controller that is probed while nobody calls it. */
export type IdleController = ScheduledController & ReachableController

/**
 * Takes controllers that are out of reach and due for a probe, each with one of its sites, preferably an active one.
 * Controllers with only inactive sites are probed too, because vouchers on inactive sites are still withdrawn.
 */
export async function takeDueProbes(db: Queryable, limit: number): Promise<SiteOnController[]> {
  const { rows } = await db.query<SiteOnController>(
    `with ${takeDueProbesSql}
     select distinct on (c.id) ${siteOnControllerColumnsSql}
       from taken join controllers c on c.id = taken.controller_id join sites s on s.controller_id = c.id
      order by c.id, s.active desc, s.id`,
    [limit],
  )
  return rows
}

/** With all in one statement, 50,000 took longer than the time limit of a statement on a busy machine, and none was probed. */
const controllersPerStatement = 1_000

/**
 * Controllers that are not out of reach, with the time since the last sync of one of their sites. A controller without a site or
 * credentials is left out: its outage could not be confirmed, and nobody would end it.
 */
export async function listControllersToProbe(
  db: Queryable,
  perStatement = controllersPerStatement,
): Promise<IdleController[]> {
  const all: IdleController[] = []
  for (;;) {
    const part = await listAfter(db, all.at(-1)?.id ?? '00000000-0000-0000-0000-000000000000', perStatement)
    all.push(...part)
    if (part.length < perStatement) return all
  }
}

async function listAfter(db: Queryable, id: string, limit: number): Promise<IdleController[]> {
  const { rows } = await db.query<IdleController>(
    `select c.id, c.driver, c.address, c.certificate_pin as "certificatePin",
            extract(epoch from now() - s.synced_at)::float * 1000 as "idleMs"
       from controllers c
      cross join lateral (select count(*) as count, max(synced_at) as synced_at from sites where controller_id = c.id) s
      where c.id > $1 and s.count > 0 and c.secret is not null
        and not exists (select from controller_outages o where o.controller_id = c.id and o.until is null)
      order by c.id limit $2`,
    [id, limit],
  )
  return rows
}

/** A site of the controller, preferably an active one. */
export async function findSiteToProbe(db: Queryable, controllerId: string): Promise<SiteOnController | undefined> {
  const { rows } = await db.query<SiteOnController>(
    `select ${siteOnControllerColumnsSql} from controllers c join sites s on s.controller_id = c.id
      where c.id = $1 order by s.active desc, s.id limit 1`,
    [controllerId],
  )
  return rows[0]
}
