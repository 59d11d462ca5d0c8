import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { UnreachableReason } from '#drivers/driver.ts'

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

/**
 * A sweep every second takes due probes, so a controller is probed every 5 s at the latest, as the desk says. A probe of a controller
 * that hangs takes 3 s.
 */
const untilNextProbeSql = `interval '4 seconds'`

/** SQL: takes at most $1 outages that are due for a probe, and schedules their next one. `taken` has their controllers. */
export const takeDueProbesSql = `due as (
       select controller_id, since from controller_outages
        where until is null and next_probe_at <= now()
        order by next_probe_at limit $1 for update skip locked
     ), taken as (
       update controller_outages o set next_probe_at = now() + ${untilNextProbeSql}
         from due
        where o.controller_id = due.controller_id and o.since = due.since
       returning o.controller_id
     )`

/** Makes the outage of a controller due for a probe, if it has one. */
export async function updateOutageProbedNow(tx: Queryable, controllerId: string): Promise<void> {
  await tx.query('update controller_outages set next_probe_at = now() where controller_id = $1 and until is null', [
    controllerId,
  ])
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
