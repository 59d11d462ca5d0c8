import type { Queryable } from '#db/database.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'

/** What is needed to speak to a controller, whichever of its sites is meant. */
export type ControllerRecord = Omit<SiteOnController, 'id' | 'name' | 'controllerSite' | 'tagsNames'>

const recordColumns = `c.id as "controllerId", c.driver, c.address, c.secret, c.certificate_pin as "certificatePin",
  c.stamp_skew_ms as "stampSkewMs"`

export async function findControllerRecord(db: Queryable, name: string): Promise<ControllerRecord | undefined> {
  const { rows } = await db.query<ControllerRecord>(`select ${recordColumns} from controllers c where c.name = $1`, [
    name,
  ])
  return rows[0]
}

/** Active or not: an administrator looks at a site before it is opened. */
export async function findSiteWithController(
  db: Queryable,
  siteId: number,
): Promise<(SiteOnController & { controllerName: string }) | undefined> {
  const { rows } = await db.query<SiteOnController & { controllerName: string }>(
    `select s.id, s.name, s.controller_site as "controllerSite", s.tags_names as "tagsNames", ${recordColumns},
            c.name as "controllerName"
       from sites s join controllers c on c.id = s.controller_id
      where s.id = $1`,
    [siteId],
  )
  return rows[0]
}
