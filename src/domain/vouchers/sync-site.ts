import type { SeenVoucher } from '#drivers/driver.ts'
import type { Clock } from '#lib/clock.ts'
import { failureOf } from '../controllers/failure-of.ts'
import { noteFailure, noteReachable, type OutageContext } from '../controllers/outages.ts'
import {
  findSiteToSync,
  type SiteToSync,
  updateSiteSynced,
  updateSiteSyncFailed,
  updateUnrecordedCount,
} from '../sites/sync-times.queries.ts'
import { attachLateArrivals } from './attach-late-arrivals.ts'
import { collect } from './collect.ts'
import { listLost } from './lost-vouchers.ts'
import { revokeVanished } from './revoke-vanished.ts'
import { insertAdoptedVouchers, listUnrecorded, updateSeenVouchers } from './sync.queries.ts'

const rowsPerStatement = 1_000

export type SyncContext = OutageContext & {
  clock: Clock
  today: (at: Date) => string
  config: { settleSeconds: number }
  log: { error(fields: object, message: string): void }
}

/** Compares the record of a site with its controller. Nothing changes unless the whole list was read without an error. */
export async function syncSite(ctx: SyncContext, siteId: number): Promise<void> {
  const site = await findSiteToSync(ctx.db, siteId)
  if (!site) return
  let seen: SeenVoucher[]
  try {
    seen = await ctx.controllers.inBackground(site.controllerId, () =>
      collect(ctx.controllers.connectionOf(site).list(site.controllerSite)),
    )
  } catch (error) {
    return noteSyncFailure(ctx, site, error)
  }
  try {
    await noteSuccess(ctx, site, await record(ctx, site, seen))
  } catch (err) {
    ctx.log.error({ err, site: site.id }, 'what a controller showed could not be recorded')
    await updateSiteSyncFailed(ctx.db, site.id, 'recording')
  }
}

async function record(ctx: SyncContext, site: SiteToSync, seen: SeenVoucher[]): Promise<number> {
  const { db } = ctx
  const counts = { changed: 0, redeemed: 0, adopted: 0, late: 0, revoked: 0 }
  const synced = { siteId: site.id, listedAt: site.listedAt, day: ctx.today(ctx.clock.now()) }
  for (const piece of inPieces(seen)) {
    const { changed, redeemed } = await updateSeenVouchers(db, synced, piece)
    counts.changed += changed
    counts.redeemed += redeemed
  }
  const unrecorded = await listUnrecorded(db, site.id, seen)
  // Late arrivals come first: what is adopted counts as made by others.
  const late = new Set(await attachLateArrivals(ctx, site, unrecorded))
  counts.late = late.size
  const left = unrecorded.filter((voucher) => !late.has(voucher))
  if (site.adopts)
    for (const piece of inPieces(left)) counts.adopted += (await insertAdoptedVouchers(db, site.id, piece)).length
  await updateUnrecordedCount(db, site.id, site.adopts ? 0 : (await listLost(db, site.id, left)).length)
  counts.revoked = await revokeVanished(db, synced, seen)
  const changes = counts.changed + counts.adopted + counts.late + counts.revoked
  if (changes > 0) ctx.log.info({ site: site.id, seen: seen.length, ...counts }, 'synced')
  return changes
}

function* inPieces(seen: SeenVoucher[]): Generator<SeenVoucher[]> {
  for (let i = 0; i < seen.length; i += rowsPerStatement) yield seen.slice(i, i + rowsPerStatement)
}

async function noteSuccess(ctx: SyncContext, site: SiteToSync, changes: number): Promise<void> {
  await noteReachable(ctx, site.controllerId)
  await updateSiteSynced(ctx.db, site, changes > 0)
}

async function noteSyncFailure(ctx: SyncContext, site: SiteToSync, error: unknown): Promise<void> {
  const failure = failureOf(error)
  if (failure === undefined) throw error
  await noteFailure(ctx, site, failure)
  if (await updateSiteSyncFailed(ctx.db, site.id, failure))
    ctx.log.warn({ site: site.id, controller: site.controllerId, failure, err: error }, 'a site could not be synced')
}
