import type { Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import type { Clock } from '#lib/clock.ts'
import { inPieces } from '#lib/pieces.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import { readWholeList } from '../creating/whole-list.ts'
import { noteFailure, noteReachable, type OutageContext } from '../outages/track-outages.ts'
import {
  findSiteToSync,
  type SiteToSync,
  updateSiteSynced,
  updateSiteSyncFailed,
  updateUnrecordedCount,
} from '../sites/sync-times.queries.ts'
import { attachLateArrivals } from './attach-late-arrivals.ts'
import { listLost } from './lost-vouchers.ts'
import {
  insertAdoptedVouchers,
  listUnrecorded,
  listValidVouchers,
  type SyncedSite,
  updateSeenVouchers,
  updateVanishedVouchers,
  type ValidVoucher,
} from './sync.queries.ts'
import { type SyncEvents, startEvents } from './sync-events.ts'

const rowsPerStatement = 1_000
const rowsPerRead = 10_000

export type SyncContext = OutageContext & {
  clock: Clock
  today: (at: Date) => string
  config: { settleSeconds: number }
}

/** Compares the record of a site with its controller. Nothing changes unless the whole list was read without an error. */
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
    await noteSuccess(ctx, site, await record(ctx, site, seen))
  } catch (err) {
    ctx.log.error(
      { err, site: site.id },
      'the list of a site was read but could not be recorded; the next sync retries',
    )
    await updateSiteSyncFailed(ctx.db, site, 'recording')
  }
}

async function record(ctx: SyncContext, site: SiteToSync, seen: SeenVoucher[]): Promise<number> {
  const { db } = ctx
  const counts = { changed: 0, redeemed: 0, adopted: 0, late: 0, revoked: 0 }
  const synced = { siteId: site.id, listedAt: site.listedAt, day: ctx.today(ctx.clock.now()) }
  const events = await startEvents(ctx, site)
  for (const piece of inPieces(seen, rowsPerStatement)) {
    const { changed, firstUsed } = await events.commit(async (tx) => {
      const changes = await updateSeenVouchers(tx, synced, piece)
      await events.tell(tx, changes)
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
  if (site.adopts)
    for (const piece of inPieces(left, rowsPerStatement))
      counts.adopted += (await insertAdoptedVouchers(db, site.id, piece)).length
  await updateUnrecordedCount(db, site.id, site.adopts ? 0 : (await listLost(db, site.id, left)).length)
  counts.revoked = await revokeVanished(db, events, synced, seen)
  const changes = counts.changed + counts.adopted + counts.late + counts.revoked
  if (changes > 0) ctx.log.info({ site: site.id, seen: seen.length, ...counts }, 'synced')
  return changes
}

/**
 * Revokes valid vouchers that a complete list no longer shows: they were deleted on the controller. Used vouchers stay used,
 * and vouchers that were recorded after reading the list began are skipped. Works in pieces, because a site may have many.
 */
async function revokeVanished(
  db: Queryable,
  events: SyncEvents,
  site: SyncedSite,
  seen: SeenVoucher[],
): Promise<number> {
  const { siteId, listedAt } = site
  const ids = new Set(seen.map(({ id }) => id))
  const codes = new Set(seen.map(({ code }) => code))
  const isThere = ({ controllerVoucherId, code }: ValidVoucher) =>
    controllerVoucherId === null ? codes.has(code) : ids.has(controllerVoucherId)
  let revoked = 0
  let after: ValidVoucher | undefined
  for (;;) {
    const valid = await listValidVouchers(db, siteId, { listedAt, after, limit: rowsPerRead })
    const vanished = valid.filter((voucher) => !isThere(voucher)).map(({ id }) => id)
    for (const piece of inPieces(vanished, rowsPerStatement))
      revoked += await events.commit(async (tx) => {
        const gone = await updateVanishedVouchers(tx, site, piece)
        const { revoked = [], expired = [] } = Object.groupBy(gone, ({ status }) => status)
        await events.tell(tx, { revoked, expired: expired.map(({ id }) => id) })
        return revoked.length
      })
    after = valid.at(-1)
    if (valid.length < rowsPerRead) return revoked
  }
}

async function noteSuccess(ctx: SyncContext, site: SiteToSync, changes: number): Promise<void> {
  await noteReachable(ctx, site.controllerId)
  await updateSiteSynced(ctx.db, site, changes > 0)
}

async function noteSyncFailure(ctx: SyncContext, site: SiteToSync, error: unknown): Promise<void> {
  const failure = controllerFailure(error)
  if (failure === undefined) throw error
  await noteFailure(ctx, site, failure)
  if (await updateSiteSyncFailed(ctx.db, site, failure))
    ctx.log.warn({ site: site.id, controller: site.controllerId, failure, err: error }, 'a site could not be synced')
}
