import type { Queryable } from '#db/database.ts'
import { controllerIsOutSql } from '../controllers/controllers.queries.ts'
import { type SiteOnController, siteOnControllerColumnsSql, syncPauseInUseSql } from './sites.queries.ts'

/** Other workers skip a site for this long while its sync runs. If the worker dies, another job syncs the site then. */
const atMostSql = `interval '2 minutes'`
const whenIdleSql = `interval '1 hour'`
/** The longer the sync has failed, the longer the pause. */
const whenFailingSql = `greatest(interval '1 minute',
  least(interval '10 minutes', (now() - coalesce(sites.sync_failing_since, now())) / 4))`
/** Ten percent more or less, so that sites that were added together are not always synced together. */
const spreadSql = `(0.9 + 0.2 * random())`

export type DueSite = { id: number; controllerId: string }

/** Takes sites that are due for a sync, except those of busy controllers. Other workers do not take them meanwhile. */
export async function takeSitesDueForSync(
  tx: Queryable,
  limit: number,
  busyControllers: string[] = [],
): Promise<DueSite[]> {
  const { rows } = await tx.query<DueSite>(
    `with due as (
       select id from sites s
        where active and next_sync_at <= now() and not ${controllerIsOutSql} and s.controller_id <> all ($2::uuid[])
        order by next_sync_at limit $1 for no key update skip locked
     )
     update sites set next_sync_at = now() + ${atMostSql}
       from due where sites.id = due.id
     returning sites.id, sites.controller_id as "controllerId"`,
    [limit, busyControllers],
  )
  return rows
}

/** Makes an active site due for a sync. Returns the time; undefined when the site is not active. */
export async function updateSyncRequested(db: Queryable, id: number): Promise<Date | undefined> {
  const { rows } = await db.query<{ now: Date }>(
    `update sites set next_sync_at = least(next_sync_at, now()) where id = $1 and active
     returning now()::timestamptz(3) as now`,
    [id],
  )
  return rows[0]?.now
}

export type SiteToSync = SiteOnController & {
  adopts: boolean
  /** The time of the database before the controller is called. */
  listedAt: Date
  nextSyncAt: Date | null
  /** The version of the site's vouchers in the record before the controller is called. */
  recordVersion: string | null
  /** The fingerprint of the list that was last compared with the record. Null when the comparison no longer counts. */
  comparedList: Buffer | null
  /** Whether ended vouchers may be deleted on the controller now: it was chosen, and the last time is an hour ago. */
  deletesEnded: boolean
}

/** A list is compared at least this often, for what depends on other sites, on old vouchers and on corrected clocks. */
const comparedForSql = `interval '1 day'`

/**
 * SQL: the last comparison still counts. It does not if vouchers of the record have changed since, or if a creation of the site
 * may still find its voucher among those that the comparison left unrecorded.
 */
const comparisonCountsSql = `s.compared_at > now() - ${comparedForSql} and s.compared_version is not distinct from v.version
  and not exists (select from creations where site_id = s.id and (settled_at is null or state = 'absent'))`

/** SQL: the setting is `guests_delete_on_controller` of `settings/guest-data.ts`. */
const deletesEndedSql = `exists (select from settings where name = 'guests_delete_on_controller' and value = 'true')
  and coalesce(s.ended_deleted_at < now() - interval '1 hour', true)`

export async function findSiteToSync(db: Queryable, id: number): Promise<SiteToSync | undefined> {
  const { rows } = await db.query<SiteToSync>(
    {
      name: 'site to sync', // without a name, planning takes longer than the statement
      text: `select ${siteOnControllerColumnsSql}, s.adopts_vouchers as adopts, now() as "listedAt", s.next_sync_at as "nextSyncAt",
              v.version as "recordVersion",
              case when ${comparisonCountsSql} then s.compared_list end as "comparedList",
              ${deletesEndedSql} as "deletesEnded"
         from sites s join controllers c on c.id = s.controller_id left join site_versions v on v.site_id = s.id
        where s.id = $1 and s.active`,
    },
    [id],
  )
  return rows[0]
}

/** SQL for the time of the next sync. It keeps a time that was set while the sync ran; $2 is the time before the sync. */
const nextUnlessSetSql = (time: string) =>
  `case when sites.next_sync_at is distinct from $2 then sites.next_sync_at else ${time} end`

/** The result of comparing a controller's list with the record. */
export type Comparison = {
  /** The fingerprint of the list. */
  list: Buffer
  hasChanged: boolean
  /** How many vouchers on the controller seem to be ours but are not in the record. */
  unrecorded: number
}

/**
 * SQL for the end of the settle window of the last creation of site $1 that was given up earlier, because an outage ended; null if
 * there is none. $8 is the window in seconds. Until then a late voucher can still be made for it (ADR 62). One second is added, so
 * that the list shows a voucher of the last moment.
 */
const settleWindowEndSql = `(select max(sent_at) + make_interval(secs => $8 + 1) from creations
  where site_id = $1 and state = 'absent' and surplus is null and sent_at > now() - make_interval(secs => $8))`

/**
 * Schedules the next sync: soon if something changed or a voucher was created within the last hour, otherwise late, but not after
 * the end of a settle window in which a late voucher can still be made. Stores which
 * list was compared, if it was, with which version of the record. The version is the one before the comparison: if the comparison
 * itself changed the record, the next sync compares again.
 */
export async function updateSiteSynced(
  db: Queryable,
  { id, listedAt, nextSyncAt, recordVersion }: SiteToSync,
  { comparison, settleSeconds }: { comparison: Comparison | undefined; settleSeconds: number },
): Promise<void> {
  const compared = (column: string, value: string) =>
    `${column} = case when $5::bytea is null then ${column} else ${value} end`
  await db.query(
    {
      name: 'site synced',
      text: `update sites
        set synced_at = $3, sync_failure = null, sync_failing_since = null,
            next_sync_at = ${nextUnlessSetSql(`least(${settleWindowEndSql}, now() + ${spreadSql} * case
              when $4 or exists (select from vouchers where site_id = $1 and created_at > now() - interval '1 hour')
              then ${syncPauseInUseSql} else ${whenIdleSql} end)`)},
            ${compared('compared_list', '$5')}, ${compared('compared_version', '$6::uuid')},
            ${compared('compared_at', 'now()')}, ${compared('unrecorded', '$7::integer')}
      where id = $1`,
    },
    [
      ...[id, nextSyncAt, listedAt, comparison?.hasChanged ?? false],
      ...[comparison?.list ?? null, recordVersion, comparison?.unrecorded ?? null, settleSeconds],
    ],
  )
}

/** Notes when ended vouchers were deleted on the controller. If more are left, the next sync continues. */
export async function updateEndedDeleted(db: Queryable, id: number, { isDone }: { isDone: boolean }): Promise<void> {
  await db.query('update sites set ended_deleted_at = case when $2 then now() end where id = $1', [id, isDone])
}

/** Stores how many vouchers on the controller seem to be ours but are not in the record. Writes only a changed count. */
export async function updateUnrecordedCount(db: Queryable, id: number, count: number): Promise<void> {
  await db.query('update sites set unrecorded = $2 where id = $1 and unrecorded is distinct from $2', [id, count])
}

/** True when the last sync succeeded or failed for another reason. */
export async function updateSiteSyncFailed(
  db: Queryable,
  { id, nextSyncAt }: SiteToSync,
  failure: string,
): Promise<boolean> {
  const { rows } = await db.query<{ isNews: boolean }>(
    `update sites
        set sync_failure = $3, sync_failing_since = coalesce(sites.sync_failing_since, now()),
            next_sync_at = ${nextUnlessSetSql(`now() + ${spreadSql} * ${whenFailingSql}`)}
       from (select id, sync_failure from sites where id = $1) as before
      where sites.id = before.id
     returning before.sync_failure is distinct from $3 as "isNews"`,
    [id, nextSyncAt, failure],
  )
  return rows[0]?.isNews ?? false
}

/** Makes every active site due for a sync now. */
export async function updateSitesDueForSync(tx: Queryable): Promise<void> {
  await tx.query('update sites set next_sync_at = now() where active')
}

/** Makes the failing sites of a controller due for a sync now. */
export async function updateFailingSitesDueForSync(tx: Queryable, controllerId: string): Promise<void> {
  await tx.query(
    'update sites set next_sync_at = now() where controller_id = $1 and active and sync_failure is not null',
    [controllerId],
  )
}
