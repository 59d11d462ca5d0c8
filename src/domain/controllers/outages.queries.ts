import type { Queryable } from '#db/database.ts'

export type Outage = { controllerId: string; controller: string; since: Date; until: Date | null }

const outageColumns = `controller_id as "controllerId", since, until,
  (select name from controllers where id = controller_id) as controller`

export async function isOutOfReach(db: Queryable, controllerId: string): Promise<boolean> {
  const { rowCount } = await db.query(`select from controller_outages where controller_id = $1 and until is null`, [
    controllerId,
  ])
  return rowCount === 1
}

/** Undefined when it was out of reach before. */
export async function startOutage(db: Queryable, controllerId: string): Promise<Outage | undefined> {
  const { rows } = await db.query<Outage>(
    `insert into controller_outages (controller_id) values ($1) on conflict (controller_id) where until is null do nothing
     returning ${outageColumns}`,
    [controllerId],
  )
  return rows[0]
}

/** Undefined when it was reachable before. */
export async function endOutage(db: Queryable, controllerId: string): Promise<Outage | undefined> {
  const { rows } = await db.query<Outage>(
    `update controller_outages set until = now() where controller_id = $1 and until is null
     returning ${outageColumns}`,
    [controllerId],
  )
  return rows[0]
}
