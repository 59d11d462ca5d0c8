import type { Queryable } from '#db/database.ts'
import { mayUseSite } from './sites.queries.ts'

/** A site with the state of its controller and of its last sync. */
export type SiteState = {
  id: number
  name: string
  active: boolean
  unreachableSince: Date | null
  syncedAt: Date | null
  syncFailure: string | null
  unrecorded: number
}

const stateColumns = `s.id, s.name, s.active, o.since as "unreachableSince", s.synced_at as "syncedAt",
  s.sync_failure as "syncFailure", s.unrecorded`
const withOutage = `left join controller_outages o on o.controller_id = s.controller_id and o.until is null`

/** Active and inactive sites by id, page by page. */
export async function listSiteStates(
  db: Queryable,
  options: { onlySitesOf: string | null; after: number; limit: number },
): Promise<SiteState[]> {
  const { rows } = await db.query<SiteState>(
    `select ${stateColumns} from sites s ${withOutage}
      where s.id > $2 and ${mayUseSite('$1', 's.id')}
      order by s.id
      limit $3`,
    [options.onlySitesOf, options.after, options.limit],
  )
  return rows
}

/** Undefined also when the actor may not use the site. */
export async function findSiteState(
  db: Queryable,
  id: number,
  onlySitesOf: string | null,
): Promise<SiteState | undefined> {
  const { rows } = await db.query<SiteState>(
    `select ${stateColumns} from sites s ${withOutage} where s.id = $2 and ${mayUseSite('$1', 's.id')}`,
    [onlySitesOf, id],
  )
  return rows[0]
}

/** When the site that was compared with its controller longest ago was compared; null if one of them never was. */
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
    `select s.id from sites s where s.id = any($2::integer[]) and ${mayUseSite('$1', 's.id')}`,
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
