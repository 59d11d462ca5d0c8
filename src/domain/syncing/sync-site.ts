import type { Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import type { Calendar, Clock } from '#lib/clock.ts'
import { inPieces } from '#lib/pieces.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import { readWholeList } from '../controllers/whole-list.ts'
import { noteFailure, noteReachable, type OutageContext } from '../outages/track-outages.ts'
import {
  insertAdoptedVouchers,
  type SyncedSite,
  updateSeenVouchers,
  updateVanishedVouchers,
} from '../record/observe-vouchers.queries.ts'
import {
  type Comparison,
  findSiteToSync,
  type SiteToSync,
  updateSiteSynced,
  updateSiteSyncFailed,
} from '../sites/sync-times.queries.ts'
import { attachLateArrivals } from './attach-late-arrivals.ts'
import { deleteEndedOnController } from './delete-ended-on-controller.ts'
import { deleteEndedVouchers } from './delete-ended-vouchers.ts'
import { fingerprintOf } from './list-fingerprint.ts'
import { listLostVouchers } from './lost-vouchers.ts'
import { listUnrecorded, listValidVouchers, type UnrecordedVoucher, type ValidVoucher } from './sync.queries.ts'
import { type SyncEvents, startEvents } from './sync-events.ts'

const rowsPerStatement = 1_000
const rowsPerRead = 10_000

export type SyncContext = OutageContext & {
  clock: Clock
  today: Calendar
  config: { settleSeconds: number; retainVouchersDays?: number | undefined }
}

/**
 * Compares the record of a site with its controller. No voucher changes unless the whole list was read without an error. A list
 * that was compared with the same record before is not compared again. The ends of vouchers do not need the comparison
 * (`recordEndedVouchers`). Retention, vouchers that were recorded for another site, and corrected clocks wait for the next
 * comparison, at most a day.
 */
export async function syncSite(ctx: SyncContext, siteId: number): Promise<void> {
  const site = await findSiteToSync(ctx.db, siteId)
  if (!site) return
  let seen: SeenVoucher[]
  try {
    seen = await ctx.controllers.inBackground(site.controllerId, () =>
      readWholeList(ctx.controllers.connectionOf(site).list(site.controllerSite)),
    )
  } catch (error) {
    return noteSyncFailure(ctx, site, error)
  }
  try {
    const list = fingerprintOf(seen, site)
    const isCompared = site.comparedList?.equals(list) ?? false
    const comparison = isCompared ? undefined : { list, ...(await compare(ctx, site, seen)) }
    if (site.isOut) await noteReachable(ctx, site.controllerId)
    await updateSiteSynced(ctx.db, site, { comparison, settleSeconds: ctx.config.settleSeconds })
    const deleted = await deleteEndedOnController(ctx, site, seen)
    if (deleted > 0) ctx.log.info({ site: site.id, deleted }, 'ended vouchers were deleted on the controller')
  } catch (err) {
    ctx.log.error(
      { err, site: site.id },
      'the list of a site was read but could not be recorded; the next sync retries',
    )
    await updateSiteSyncFailed(ctx.db, site, 'recording')
  }
}

async function compare(ctx: SyncContext, site: SiteToSync, seen: SeenVoucher[]): Promise<Omit<Comparison, 'list'>> {
  const { db } = ctx
  const recording = await startRecording(ctx, site)
  const { counts, left } = await recordSeen(ctx, recording, seen)
  const unrecorded = site.adopts ? 0 : (await listLostVouchers(db, site.id, left)).length
  const revoked = await revokeVanished(db, recording, seen)
  const { retainVouchersDays: endedDaysAgo } = ctx.config
  const deleted =
    endedDaysAgo === undefined ? 0 : await deleteEndedVouchers(db, { siteId: site.id, endedDaysAgo }, isAmong(seen))
  const changes = counts.changed + counts.adopted + counts.late + revoked + deleted
  if (changes > 0) ctx.log.info({ site: site.id, seen: seen.length, ...counts, revoked, deleted }, 'synced')
  return { hasChanged: changes > 0, unrecorded }
}

/** A site whose controller was just read. The whole list, and the answer to a lookup of one code, are recorded in the same way. */
type Recording = { site: SiteToSync; synced: SyncedSite; events: SyncEvents }

export async function startRecording(ctx: SyncContext, site: SiteToSync): Promise<Recording> {
  const synced = { siteId: site.id, listedAt: site.listedAt, day: ctx.today(ctx.clock.now()) }
  return { site, synced, events: await startEvents(ctx, site) }
}

type RecordedSeen = {
  counts: { changed: number; redeemed: number; adopted: number; late: number }
  /** Vouchers that were not in the record, without late arrivals. If the site adopts vouchers, they are recorded now. */
  left: UnrecordedVoucher[]
}

/** Records the uses and ends that the controller shows, handles late arrivals, and adopts vouchers if the site does. */
export async function recordSeen(
  ctx: SyncContext,
  { site, synced, events }: Recording,
  seen: SeenVoucher[],
): Promise<RecordedSeen> {
  const { db } = ctx
  const counts = { changed: 0, redeemed: 0, adopted: 0, late: 0 }
  for (const piece of inPieces(seen, rowsPerStatement)) {
    const { changed, firstUsed } = await events.commit(async (tx) => {
      const changes = await updateSeenVouchers(tx, synced, piece)
      await events.notify(tx, changes)
      return changes
    })
    counts.changed += changed
    counts.redeemed += firstUsed.length
  }
  const unrecorded = await listUnrecorded(db, site.id, seen)
  // Late arrivals are handled before adoption, because an adopted voucher counts as made by others.
  const late = new Set(await attachLateArrivals(ctx, site, unrecorded))
  counts.late = late.size
  const left = unrecorded.filter((voucher) => !late.has(voucher))
  const adopting = { siteId: site.id, today: ctx.today, now: ctx.clock.now() }
  if (site.adopts)
    for (const piece of inPieces(left, rowsPerStatement))
      counts.adopted += (await insertAdoptedVouchers(db, adopting, piece)).length
  return { counts, left }
}

/**
 * Revokes valid vouchers that a complete list no longer shows: they were deleted on the controller. Used vouchers stay used,
 * and vouchers that were recorded after reading the list began are skipped. Works in pieces, because a site may have many.
 */
async function revokeVanished(db: Queryable, recording: Recording, seen: SeenVoucher[]): Promise<number> {
  const { siteId, listedAt } = recording.synced
  let revoked = 0
  let after: ValidVoucher | undefined
  for (;;) {
    const valid = await listValidVouchers(db, siteId, { listedAt, after, limit: rowsPerRead })
    revoked += await recordVanished(recording, valid, seen)
    after = valid.at(-1)
    if (valid.length < rowsPerRead) return revoked
  }
}

/** Revokes those of these valid vouchers that the controller should have shown and did not. Returns how many. */
export async function recordVanished(
  { synced, events }: Recording,
  valid: ValidVoucher[],
  seen: SeenVoucher[],
): Promise<number> {
  const isThere = isAmong(seen)
  const vanished = valid.filter((voucher) => !isThere(voucher)).map(({ id }) => id)
  let count = 0
  for (const piece of inPieces(vanished, rowsPerStatement))
    count += await events.commit(async (tx) => {
      const gone = await updateVanishedVouchers(tx, synced, piece)
      const { revoked = [], expired = [] } = Object.groupBy(gone, ({ status }) => status)
      await events.notify(tx, { revoked, expired: expired.map(({ id }) => id) })
      return revoked.length
    })
  return count
}

/** Returns a function that says whether the list shows a voucher of the record. */
function isAmong(seen: SeenVoucher[]): (voucher: ValidVoucher) => boolean {
  const ids = new Set(seen.map(({ id }) => id))
  const codes = new Set(seen.map(({ code }) => code))
  return ({ controllerVoucherId, code }) =>
    controllerVoucherId === null ? codes.has(code) : ids.has(controllerVoucherId)
}

async function noteSyncFailure(ctx: SyncContext, site: SiteToSync, error: unknown): Promise<void> {
  const failure = controllerFailure(error)
  if (failure === undefined) throw error
  await noteFailure(ctx, site, failure)
  if (await updateSiteSyncFailed(ctx.db, site, failure))
    ctx.log.warn({ site: site.id, controller: site.controllerId, failure, err: error }, 'a site could not be synced')
}
