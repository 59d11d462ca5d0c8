import type { Database } from '#db/database.ts'
import type { Failure, SeenVoucher } from '#drivers/driver.ts'
import type { Queue } from '#queue/queue.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { failureOf } from '../controllers/failure-of.ts'
import { noteReachable, noteUnreachable } from '../controllers/note-reachability.ts'
import { moveSiteDay } from '../sites/site-days.queries.ts'
import { findSiteToSync, type SiteToSync, updateSiteSynced, updateSiteSyncFailed } from '../sites/sync-times.queries.ts'
import { attachLateArrivals } from './attach-late-arrivals.ts'
import { collect } from './collect.ts'
import { revokeVanished } from './revoke-vanished.ts'
import { insertAdoptedVouchers, updateSeenVouchers } from './sync.queries.ts'

const rowsPerStatement = 1_000

export type SyncContext = {
  db: Database
  queue: Queue
  controllers: Controllers
  today: (at: Date) => string
  log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>
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
    return noteFailure(ctx, site, error)
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
  for (const piece of inPieces(seen)) {
    const { changed, redeemed } = await updateSeenVouchers(db, site.id, site.listedAt, piece)
    counts.changed += changed
    counts.redeemed += redeemed
  }
  counts.late = await attachLateArrivals(ctx, site, seen) // first: what is adopted counts as made by others
  if (site.adopts) for (const piece of inPieces(seen)) counts.adopted += await insertAdoptedVouchers(db, site.id, piece)
  counts.revoked = await revokeVanished(db, site.id, site.listedAt, seen)
  if (counts.redeemed + counts.revoked > 0) await moveSiteDay(db, site.id, ctx.today(new Date()), counts)
  const changes = counts.changed + counts.adopted + counts.late + counts.revoked
  if (changes > 0) ctx.log.info({ site: site.id, seen: seen.length, ...counts }, 'synced')
  return changes
}

function* inPieces(seen: SeenVoucher[]): Generator<SeenVoucher[]> {
  for (let i = 0; i < seen.length; i += rowsPerStatement) yield seen.slice(i, i + rowsPerStatement)
}

async function noteSuccess(ctx: SyncContext, site: SiteToSync, changes: number): Promise<void> {
  if (await noteReachable(ctx, site.controllerId))
    ctx.log.info({ controller: site.controllerId }, 'the controller is back')
  await updateSiteSynced(ctx.db, site, changes > 0)
}

/** Otherwise it answered, whatever it said. */
const outOfReach: Failure[] = ['unreachable', 'timeout', 'failed']

async function noteFailure(ctx: SyncContext, site: SiteToSync, error: unknown): Promise<void> {
  const failure = failureOf(error)
  if (failure === undefined) throw error
  const outageBegan = outOfReach.includes(failure) && (await noteUnreachable(ctx, site.controllerId))
  const isNews = await updateSiteSyncFailed(ctx.db, site.id, failure)
  if (isNews || outageBegan)
    ctx.log.warn({ site: site.id, controller: site.controllerId, failure, err: error }, 'a site could not be synced')
}
