import { codeOf, type Queryable } from '#db/database.ts'
import {
  controllerIsOutSql,
  type StoredController,
  storedControllerColumnsSql,
} from '../controllers/controllers.queries.ts'
import { DomainError } from '../errors.ts'
import { type IssuingChange, type IssuingLimits, issuingLimitsSql } from '../issuing-limits.ts'

/** The largest id that a site can have. */
export const maxSiteId = 2_147_483_647

/**
 * SQL that is true for the sites that the actor with this id may use; if the id is null, for all sites. An id belongs
 * either to a key or to a staff member.
 */
export function mayUseSiteSql(actorId: string, siteId: string): string {
  return `(${actorId}::uuid is null
    or exists (select from api_key_sites where api_key_id = ${actorId} and site_id = ${siteId})
    or exists (select from staff_sites where staff_id = ${actorId} and site_id = ${siteId}))`
}

/** SQL for the sites of an actor that may not use all. */
export const sitesOfActorSql = (actorId: string) =>
  `select site_id from api_key_sites where api_key_id = ${actorId}
   union all select site_id from staff_sites where staff_id = ${actorId}`

export type SiteName = { id: number; name: string }

/** Active sites by name, page by page: a provider may have a million sites. */
export async function listActiveSites(
  db: Queryable,
  options: { onlySitesOf: string | null; after: SiteName | undefined; limit: number },
): Promise<SiteName[]> {
  const { rows } = await db.query<SiteName>(
    `select id, name
       from sites
      where active
        and ${mayUseSiteSql('$1', 'sites.id')}
        and ($2::text is null or (name, id) > ($2, $3::integer))
      order by name, id
      limit $4`,
    [options.onlySitesOf, options.after?.name ?? null, options.after?.id ?? null, options.limit],
  )
  return rows
}

/** A site as people read it. `timeZone` is null for the time zone of the service. */
export type SiteLabel = SiteName & { timeZone: string | null }

export async function listSiteLabels(db: Queryable, ids: number[]): Promise<SiteLabel[]> {
  const { rows } = await db.query<SiteLabel>(
    'select id, name, time_zone as "timeZone" from sites where id = any ($1::integer[])',
    [ids],
  )
  return rows
}

/** Keeps these sites from being removed until the transaction ends. */
export async function lockSites(tx: Queryable, ids: number[]): Promise<void> {
  await tx.query('select from sites where id = any ($1::integer[]) order by id for key share', [ids])
}

/** Keeps a site from being removed until the transaction ends. Throws if there is no such site. */
export async function keepSite(tx: Queryable, id: number): Promise<SiteLabel> {
  await lockSites(tx, [id])
  const [site] = await listSiteLabels(tx, [id])
  if (!site) throw new DomainError('site_not_found', { details: { ids: id } })
  return site
}

export type Site = IssuingLimits & {
  id: number
  name: string
  active: boolean
  controller: string
  controllerSite: string
  adoptsVouchers: boolean
  tagsNames: boolean
  /** Vouchers on the controller that seem to be ours but are not in the record. The last sync counted them. */
  unrecorded: number
  createdAt: Date
}

const siteColumns = `s.id, s.name, s.active, c.name as controller, s.controller_site as "controllerSite",
  s.adopts_vouchers as "adoptsVouchers", s.tags_names as "tagsNames", s.unrecorded, s.created_at as "createdAt",
  ${issuingLimitsSql('s')}`
/** The columns that an insert or update must return so that `siteColumns` can be selected from its result. */
const writtenColumns = `id, name, active, controller_id, controller_site, adopts_vouchers, tags_names, unrecorded, created_at, vouchers_per_day, longest_minutes`

/** `syncedAt` is the time of the last successful sync. */
export async function listSites(db: Queryable): Promise<(Site & { syncedAt: Date | null })[]> {
  const { rows } = await db.query<Site & { syncedAt: Date | null }>(
    `select ${siteColumns}, s.synced_at as "syncedAt" from sites s join controllers c on c.id = s.controller_id order by s.id`,
  )
  return rows
}

export type NewSite = {
  name: string
  controllerId: string
  controllerSite: string
  active: boolean
  adoptsVouchers: boolean
}

/** Undefined when the controller's site is recorded already. */
export async function insertSite(db: Queryable, site: NewSite): Promise<Site | undefined> {
  const { rows } = await insertNumbered<Site>(
    db,
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

/** Runs an insert into `sites`. PostgreSQL rejects it when the numbers of this cell are used up. */
function insertNumbered<Row extends object>(db: Queryable, statement: string, values: unknown[]) {
  return db.query<Row>(statement, values).catch((cause) => {
    throw codeOf(cause) === '2200H' ? new DomainError('site_numbers_used_up', { cause }) : cause
  })
}

/** Whether a site is recorded under one of these ids of the controller's site. */
export async function isControllerSiteRecorded(db: Queryable, controllerId: string, ids: string[]): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from sites where controller_id = $1 and controller_site = any ($2) limit 1',
    [controllerId, ids],
  )
  return rowCount === 1
}

export type RecordedSite = { id: number; name: string; controllerId: string; controllerSite: string }

/** Makes imports run one after another: two imports of the same sites in a different order would deadlock. */
export async function lockImports(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('voucher-service sites import'))`)
}

/**
 * Returns only the sites that were not recorded before. Recorded ones are left out before the insert, because a conflict would
 * use up a number for each of them. Spreads their first sync over up to an hour: there may be thousands.
 */
export async function insertSites(tx: Queryable, rows: NewSite[]): Promise<RecordedSite[]> {
  const { rows: inserted } = await insertNumbered<RecordedSite>(
    tx,
    `insert into sites (name, controller_id, controller_site, active, adopts_vouchers, next_sync_at)
     select name, controller_id, controller_site, active, adopts_vouchers, 
            now() + random() * least(interval '1 hour', interval '8 seconds' * cardinality($1::text[]))
       from unnest($1::text[], $2::uuid[], $3::text[], $4::boolean[], $5::boolean[]) with ordinality
            as asked (name, controller_id, controller_site, active, adopts_vouchers, place)
      where not exists (
              select from sites s
               where s.controller_id = asked.controller_id and s.controller_site = asked.controller_site
            )
      order by place
     on conflict (controller_id, controller_site) do nothing
     returning id, name, controller_id as "controllerId", controller_site as "controllerSite"`,
    [
      rows.map(({ name }) => name),
      rows.map(({ controllerId }) => controllerId),
      rows.map(({ controllerSite }) => controllerSite),
      rows.map(({ active }) => active),
      rows.map(({ adoptsVouchers }) => adoptsVouchers),
    ],
  )
  return inserted
}

/** Like `lockImports`. False if another import is running. */
export async function tryLockImports(tx: Queryable): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('voucher-service sites import')) as locked`,
  )
  return rows[0]?.locked ?? false
}

/** Inserts sites with the numbers that they have in another system. */
export async function insertNumberedSites(tx: Queryable, sites: (NewSite & { id: number })[]): Promise<void> {
  await tx.query(
    `insert into sites (id, name, controller_id, controller_site, active, adopts_vouchers, next_sync_at) overriding system value
     select id, name, controller_id, controller_site, active, adopts_vouchers,
            now() + random() * least(interval '1 hour', interval '8 seconds' * cardinality($1::integer[]))
       from unnest($1::integer[], $2::text[], $3::uuid[], $4::text[], $5::boolean[], $6::boolean[])
            as new (id, name, controller_id, controller_site, active, adopts_vouchers)`,
    [
      sites.map(({ id }) => id),
      sites.map(({ name }) => name),
      sites.map(({ controllerId }) => controllerId),
      sites.map(({ controllerSite }) => controllerSite),
      sites.map(({ active }) => active),
      sites.map(({ adoptsVouchers }) => adoptsVouchers),
    ],
  )
}

/** The next new site gets a larger number than all. It is the last act of a transaction, because PostgreSQL does not take it back. */
export async function updateNextSiteNumber(tx: Queryable): Promise<void> {
  await tx.query(
    `select setval(sequence.name, largest.id)
       from (select pg_get_serial_sequence('sites', 'id')::regclass as name) as sequence
            join pg_sequence range on range.seqrelid = sequence.name,
            lateral (select max(sites.id) as id from sites where sites.id between range.seqmin and range.seqmax) as largest
      where largest.id >= coalesce(pg_sequence_last_value(sequence.name), 0)`,
  )
}

/** A recorded site with its controller's address. */
export type SiteAtAddress = { id: number; name: string; controllerId: string; controllerSite: string; address: string }

/** The sites with these ids, and those at these addresses. */
export async function listSitesAt(db: Queryable, ids: number[], addresses: string[]): Promise<SiteAtAddress[]> {
  const { rows } = await db.query<SiteAtAddress>(
    `select s.id, s.name, s.controller_id as "controllerId", s.controller_site as "controllerSite", c.address
       from sites s join controllers c on c.id = s.controller_id
      where s.id = any ($1::integer[]) or c.address = any ($2::text[])
      order by s.id`,
    [ids, addresses],
  )
  return rows
}

export async function hasSites(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query('select from sites limit 1')
  return rowCount === 1
}

export async function listRecordedSites(tx: Queryable, rows: NewSite[]): Promise<RecordedSite[]> {
  const { rows: recorded } = await tx.query<RecordedSite>(
    `select s.id, s.name, s.controller_id as "controllerId", s.controller_site as "controllerSite"
       from unnest($1::uuid[], $2::text[]) as asked (controller_id, controller_site)
       join sites s using (controller_id, controller_site)`,
    [rows.map(({ controllerId }) => controllerId), rows.map(({ controllerSite }) => controllerSite)],
  )
  return recorded
}

export type SiteSettings = IssuingChange & {
  name?: string | undefined
  active?: boolean | undefined
  adoptsVouchers?: boolean | undefined
  tagsNames?: boolean | undefined
}

/**
 * Changes a site and makes it due for a sync, which adopts vouchers if the site is set to do so. Undefined when no site of the
 * actor has this id.
 */
export async function updateSite(
  db: Queryable,
  id: number,
  settings: SiteSettings,
  onlySitesOf: string | null,
): Promise<Site | undefined> {
  const { name, active, adoptsVouchers, tagsNames, vouchersPerDay, longestMinutes } = settings
  const { rows } = await db.query<Site>(
    `with s as (
       update sites
          set name = coalesce($3, name), active = coalesce($4, active),
              adopts_vouchers = coalesce($5, adopts_vouchers), tags_names = coalesce($6, tags_names),
              vouchers_per_day = case when $7 then $8 else vouchers_per_day end,
              longest_minutes = case when $9 then $10 else longest_minutes end,
              next_sync_at = least(next_sync_at, now())
        where id = $2 and ${mayUseSiteSql('$1', 'sites.id')}
       returning ${writtenColumns}
     )
     select ${siteColumns} from s join controllers c on c.id = s.controller_id`,
    [
      ...[onlySitesOf, id, name ?? null, active ?? null, adoptsVouchers ?? null, tagsNames ?? null],
      ...[vouchersPerDay !== undefined, vouchersPerDay ?? null],
      ...[longestMinutes !== undefined, longestMinutes ?? null],
    ],
  )
  return rows[0]
}

/** Undefined also when the actor may not use the site. */
export async function findSite(
  db: Queryable,
  id: number,
  onlySitesOf: string | null,
): Promise<(Site & { controllerId: string }) | undefined> {
  const { rows } = await db.query<Site & { controllerId: string }>(
    `select ${siteColumns}, s.controller_id as "controllerId" from sites s join controllers c on c.id = s.controller_id
      where s.id = $2 and ${mayUseSiteSql('$1', 's.id')}`,
    [onlySitesOf, id],
  )
  return rows[0]
}

/** A site with its limits on issuing. Its time zone is null for that of the service. */
export type LimitedSite = IssuingLimits & { id: number; timeZone: string | null }

/** Undefined also when the actor may not use the site. */
export async function findLimitedSite(
  db: Queryable,
  id: number,
  onlySitesOf: string | null,
): Promise<LimitedSite | undefined> {
  const { rows } = await db.query<LimitedSite>(
    `select s.id, s.time_zone as "timeZone", ${issuingLimitsSql('s')}
       from sites s where s.id = $2 and ${mayUseSiteSql('$1', 's.id')}`,
    [onlySitesOf, id],
  )
  return rows[0]
}

/** A site with everything that is needed to connect to its controller. */
export type SiteOnController = StoredController &
  LimitedSite & {
    name: string
    controllerSite: string
    /** Whether names on the controller get a tag that tells our vouchers apart from others. */
    tagsNames: boolean
    /** Whether the controller has an outage. */
    isOut: boolean
  }

export const siteOnControllerColumnsSql = `s.id, s.name, s.controller_site as "controllerSite",
  s.tags_names as "tagsNames", s.time_zone as "timeZone", ${issuingLimitsSql('s')}, ${controllerIsOutSql} as "isOut", ${storedControllerColumnsSql}`

/** Finds active and inactive sites. */
export async function findSiteOnController(db: Queryable, id: number): Promise<SiteOnController | undefined> {
  const { rows } = await db.query<SiteOnController>(
    `select ${siteOnControllerColumnsSql} from sites s join controllers c on c.id = s.controller_id where s.id = $1`,
    [id],
  )
  return rows[0]
}

/** Finds active and inactive sites: administrators test a site before they activate it. */
export async function findSiteWithController(
  db: Queryable,
  siteId: number,
): Promise<(SiteOnController & { controllerName: string }) | undefined> {
  const { rows } = await db.query<SiteOnController & { controllerName: string }>(
    `select ${siteOnControllerColumnsSql}, c.name as "controllerName"
       from sites s join controllers c on c.id = s.controller_id
      where s.id = $1`,
    [siteId],
  )
  return rows[0]
}

/** The site with this id, even if it is inactive. Without an id, all active sites. */
export async function listSitesOnControllers(db: Queryable, only: number | null): Promise<SiteOnController[]> {
  const { rows } = await db.query<SiteOnController>(
    `select ${siteOnControllerColumnsSql} from sites s join controllers c on c.id = s.controller_id
      where case when $1::integer is null then s.active else s.id = $1 end
      order by s.id`,
    [only],
  )
  return rows
}

/** Undefined also when the actor may not use the site. */
export async function findActiveSite(
  db: Queryable,
  id: number,
  onlySitesOf: string | null,
): Promise<SiteOnController | undefined> {
  const { rows } = await db.query<SiteOnController>(
    `select ${siteOnControllerColumnsSql}
       from sites s join controllers c on c.id = s.controller_id
      where s.id = $1 and s.active
        and ${mayUseSiteSql('$2', 's.id')}`,
    [id, onlySitesOf],
  )
  return rows[0]
}

/** The pause between two syncs of a site in use. */
export const syncPauseInUseSql = `interval '5 minutes'`

/** SQL that schedules the next sync of an idle site earlier. Writes nothing when the next sync is soon anyway. */
const bringForwardSql = (siteId: string, soon: string) =>
  `update sites set next_sync_at = now() + ${soon} where id = ${siteId} and next_sync_at > now() + ${soon}`

/** SQL for the statement that records vouchers: the site is in use. */
export const siteInUseSql = (siteId: string) => bringForwardSql(siteId, syncPauseInUseSql)

export async function bringSyncForward(db: Queryable, id: number, why: 'used' | 'failed'): Promise<void> {
  await db.query(bringForwardSql('$1', why === 'used' ? syncPauseInUseSql : `interval '10 seconds'`), [id])
}
