import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import { ControllerError, type ControllerVoucher, type SeenVoucher } from '#drivers/driver.ts'
import type { Queue } from '#queue/queue.ts'
import { recordServiceAudit } from '../audit/record-audit.ts'
import type { Controllers } from '../controllers/controllers.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { madeFor } from './made-for.ts'
import { recordVouchers } from './record-vouchers.ts'
import { insertAdoptedVouchers, listRecordedCodes } from './sync.queries.ts'
import { findOpenTwin, type GivenUpCreation, listGivenUpCreations } from './unsettled.queries.ts'
import { claimVouchers, updateVoucherRevoked } from './vouchers.queries.ts'

type LateContext = { db: Database; queue: Queue; controllers: Controllers; today: (at: Date) => string }

/**
 * Vouchers that turned up after their creation was given up. Where its client made no other voucher since, it is his;
 * else there are two for one request, and the one that nobody was given is withdrawn.
 */
export async function attachLateArrivals(
  ctx: LateContext,
  site: SiteOnController,
  seen: SeenVoucher[],
): Promise<number> {
  const givenUp = await listGivenUpCreations(ctx.db, site.id)
  if (givenUp.length === 0) return 0
  const recorded = new Set(
    await listRecordedCodes(
      ctx.db,
      site.id,
      seen.flatMap(({ code }) => code ?? []),
    ),
  )
  // A batch may give up 1,000, and each looks through what is left: 20,000 vouchers of others cost seconds.
  const names = new Set(givenUp.map(({ shape }) => shape.name))
  const free = seen.filter(({ code, shape }) => code !== null && !recorded.has(code) && names.has(shape.name))
  let attached = 0
  for (const creation of givenUp) {
    const [late] = madeFor(free, creation.shape, creation.sentAt)
    if (!late) continue
    free.splice(free.indexOf(late), 1)
    if (await attach(ctx, site, creation, late)) attached += 1
  }
  return attached
}

async function attach(
  ctx: LateContext,
  site: SiteOnController,
  creation: GivenUpCreation,
  late: ControllerVoucher,
): Promise<boolean> {
  const { lastAttemptId, lastAttemptState, apiKeyId, source, shape: asked, sentAt } = creation
  if (lastAttemptState === 'open' || lastAttemptState === 'unknown') return false // it may find this one itself
  if (await findOpenTwin(ctx.db, creation, [creation.id])) return false // it may be another's, who is just making the same
  if (lastAttemptState === 'recorded') return withdraw(ctx, site, creation, late)
  const actor = { apiKeyId, allSites: true, source }
  const day = ctx.today(sentAt)
  const creationIds = [lastAttemptId]
  const recorded = await recordVouchers(ctx, { site, creationIds, actor, candidates: [late], asked, day })
  return recorded.length > 0
}

/** One that a guest uses already stays, and is recorded. */
async function withdraw(
  ctx: LateContext,
  site: SiteOnController,
  creation: GivenUpCreation,
  surplus: ControllerVoucher,
): Promise<boolean> {
  if (surplus.usedCount > 0) {
    await insertAdoptedVouchers(ctx.db, site.id, [surplus])
    await noteSurplus(ctx.db, 'voucher.surplus_in_use', site, surplus)
    return true
  }
  if (surplus.id === null) return false
  return ctx.db.transaction((tx) => withdrawClaimed(ctx, tx, site, creation, surplus)).catch(tryNextTime)
}

/** A controller that will not delete it: nothing was written. */
function tryNextTime(error: unknown): false {
  if (error instanceof ControllerError) return false
  throw error
}

/** Claimed first, and held until it is gone: nobody can be given it meanwhile. */
async function withdrawClaimed(
  ctx: LateContext,
  tx: Queryable,
  site: SiteOnController,
  { id: creationId, apiKeyId }: GivenUpCreation,
  { id: controllerVoucherId, code, shape }: ControllerVoucher,
): Promise<boolean> {
  const nothing = { reference: null, validUntil: null, batchId: null }
  const claim = { id: uuidv7(), creationId, controllerVoucherId, code, ...nothing }
  const [claimed] = await claimVouchers(tx, { siteId: site.id, apiKeyId, shape }, [claim])
  if (!claimed) return false
  await updateVoucherRevoked(tx, site.id, claimed.id)
  await noteSurplus(tx, 'voucher.surplus_withdrawn', site, { shape })
  await ctx.controllers.connectionOf(site).delete(site.controllerSite, [controllerVoucherId as string])
  return true
}

async function noteSurplus(
  db: Queryable,
  action: string,
  site: SiteOnController,
  { shape }: Pick<ControllerVoucher, 'shape'>,
): Promise<void> {
  const details = { name: shape.name }
  await recordServiceAudit(db, { action, targetKind: 'site', targetId: String(site.id), details })
}
