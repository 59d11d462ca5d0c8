import type { Queryable } from '#db/database.ts'

/** A site with what is known of its controller: since when it is out of reach, when it was last compared, what failed. */
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

/** `null` for a key that may use all sites. */
type OnlyForKey = string | null

const isAllowed = (key: string) =>
  `(${key}::uuid is null or exists (select from api_key_sites k where k.api_key_id = ${key} and k.site_id = s.id))`

/** Active or not, by number, after the given one. */
export async function listSiteStates(
  db: Queryable,
  options: { onlyForKey: OnlyForKey; after: number; limit: number },
): Promise<SiteState[]> {
  const { rows } = await db.query<SiteState>(
    `select ${stateColumns} from sites s ${withOutage}
      where s.id > $2 and ${isAllowed('$1')}
      order by s.id
      limit $3`,
    [options.onlyForKey, options.after, options.limit],
  )
  return rows
}

/** A site that the key may not use does not exist for it. */
export async function findSiteState(db: Queryable, id: number, onlyForKey: OnlyForKey): Promise<SiteState | undefined> {
  const { rows } = await db.query<SiteState>(
    `select ${stateColumns} from sites s ${withOutage} where s.id = $2 and ${isAllowed('$1')}`,
    [onlyForKey, id],
  )
  return rows[0]
}

/** Of these sites, those that exist for the key. */
export async function listAllowedSiteIds(db: Queryable, ids: number[], onlyForKey: OnlyForKey): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select s.id from sites s where s.id = any($2::integer[]) and ${isAllowed('$1')}`,
    [onlyForKey, ids],
  )
  return rows.map(({ id }) => id)
}

/** The sites of a key that may not use all. */
export async function listSiteIdsOfKey(db: Queryable, keyId: string): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(`select site_id as id from api_key_sites where api_key_id = $1`, [
    keyId,
  ])
  return rows.map(({ id }) => id)
}

export async function listControllersOfSites(
  db: Queryable,
  ids: number[],
): Promise<{ id: number; controllerId: string }[]> {
  const { rows } = await db.query<{ id: number; controllerId: string }>(
    `select id, controller_id as "controllerId" from sites where id = any($1::integer[])`,
    [ids],
  )
  return rows
}
