import type { Queryable } from '#db/database.ts'

/** The largest number a site can have; anything above it is an id that no site has. */
export const maxSiteId = 2_147_483_647

export type SiteName = { id: number; name: string }

/** Active sites by name, after the given one: a provider's million sites are read in pieces. */
export async function listActiveSites(
  db: Queryable,
  options: { onlyForKey: string | null; after: SiteName | undefined; limit: number },
): Promise<SiteName[]> {
  const { rows } = await db.query<SiteName>(
    `select id, name
       from sites
      where active
        and ($1::uuid is null or exists (select from api_key_sites k where k.api_key_id = $1 and k.site_id = sites.id))
        and ($2::text is null or (name, id) > ($2, $3::integer))
      order by name, id
      limit $4`,
    [options.onlyForKey, options.after?.name ?? null, options.after?.id ?? null, options.limit],
  )
  return rows
}

export type Site = {
  id: number
  name: string
  active: boolean
  controller: string
  controllerSite: string
  adoptsVouchers: boolean
  tagsNames: boolean
  /** Vouchers on the controller that seem to be ours and are not in the record, as the last sync counted them. */
  unrecorded: number
  createdAt: Date
}

const siteColumns = `s.id, s.name, s.active, c.name as controller, s.controller_site as "controllerSite",
  s.adopts_vouchers as "adoptsVouchers", s.tags_names as "tagsNames", s.unrecorded, s.created_at as "createdAt"`
/** The columns that a statement returns after it wrote a site: `siteColumns` are made from them. */
const writtenColumns = `id, name, active, controller_id, controller_site, adopts_vouchers, tags_names, unrecorded, created_at`

export async function listSites(db: Queryable): Promise<Site[]> {
  const { rows } = await db.query<Site>(
    `select ${siteColumns} from sites s join controllers c on c.id = s.controller_id order by s.id`,
  )
  return rows
}

/** Undefined when the controller's site is recorded already. */
export async function insertSite(
  db: Queryable,
  site: { name: string; controllerId: string; controllerSite: string; active: boolean; adoptsVouchers: boolean },
): Promise<Site | undefined> {
  const { rows } = await db.query<Site>(
    `with s as (
       insert into sites (name, controller_id, controller_site, active, adopts_vouchers, next_sync_at)
       values ($1, $2, $3, $4, $5, now())
       on conflict (controller_id, controller_site) do nothing
       returning ${writtenColumns}
     )
     select ${siteColumns} from s join controllers c on c.id = s.controller_id`,
    [site.name, site.controllerId, site.controllerSite, site.active, site.adoptsVouchers],
  )
  return rows[0]
}

/** Undefined when no site has this id. */
export async function updateSiteActive(db: Queryable, id: number, active: boolean): Promise<Site | undefined> {
  const { rows } = await db.query<Site>(
    `with s as (
       update sites set active = $2 where id = $1
       returning ${writtenColumns}
     )
     select ${siteColumns} from s join controllers c on c.id = s.controller_id`,
    [id, active],
  )
  return rows[0]
}

export type SiteSettings = { adoptsVouchers?: boolean | undefined; tagsNames?: boolean | undefined }

/** Undefined when no site has this id. The next sync follows soon: it is the one that adopts. */
export async function updateSiteSettings(db: Queryable, id: number, settings: SiteSettings): Promise<Site | undefined> {
  const { rows } = await db.query<Site>(
    `with s as (
       update sites
          set adopts_vouchers = coalesce($2, adopts_vouchers), tags_names = coalesce($3, tags_names),
              next_sync_at = least(next_sync_at, now())
        where id = $1
       returning ${writtenColumns}
     )
     select ${siteColumns} from s join controllers c on c.id = s.controller_id`,
    [id, settings.adoptsVouchers ?? null, settings.tagsNames ?? null],
  )
  return rows[0]
}

/** A site with what is needed to speak to its controller. */
export type SiteOnController = {
  id: number
  name: string
  controllerSite: string
  controllerId: string
  driver: string
  address: string
  secret: string | null
  certificatePin: Buffer | null
  /** How far vouchers are stamped ahead of the `Date` of replies; null until it was measured. */
  stampSkewMs: number | null
  /** Whether names on the controller get a tag, by which vouchers are told apart from those of others. */
  tagsNames: boolean
}

export const siteOnControllerColumns = `s.id, s.name, s.controller_site as "controllerSite",
  s.tags_names as "tagsNames", c.id as "controllerId",
  c.driver, c.address, c.secret, c.certificate_pin as "certificatePin", c.stamp_skew_ms as "stampSkewMs"`

/** Active or not. */
export async function findSiteOnController(db: Queryable, id: number): Promise<SiteOnController | undefined> {
  const { rows } = await db.query<SiteOnController>(
    `select ${siteOnControllerColumns} from sites s join controllers c on c.id = s.controller_id where s.id = $1`,
    [id],
  )
  return rows[0]
}

/** The one with this id, active or not; otherwise all active ones, by number. */
export async function listSitesOnControllers(db: Queryable, only: number | null): Promise<SiteOnController[]> {
  const { rows } = await db.query<SiteOnController>(
    `select ${siteOnControllerColumns} from sites s join controllers c on c.id = s.controller_id
      where case when $1::integer is null then s.active else s.id = $1 end
      order by s.id`,
    [only],
  )
  return rows
}

/** A site that the key may not use does not exist for it. */
export async function findActiveSite(
  db: Queryable,
  id: number,
  onlyForKey: string | null,
): Promise<SiteOnController | undefined> {
  const { rows } = await db.query<SiteOnController>(
    `select ${siteOnControllerColumns}
       from sites s join controllers c on c.id = s.controller_id
      where s.id = $1 and s.active
        and ($2::uuid is null or exists (select from api_key_sites k where k.api_key_id = $2 and k.site_id = s.id))`,
    [id, onlyForKey],
  )
  return rows[0]
}
