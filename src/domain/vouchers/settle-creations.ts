import type { Database } from '#db/database.ts'
import { ControllerError } from '#drivers/driver.ts'
import type { Queue } from '#queue/queue.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { DomainError } from '../errors.ts'
import { findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'
import { collect } from './collect.ts'
import { madeFor } from './made-for.ts'
import { recordVoucher } from './record-voucher.ts'
import {
  findOpenTwin,
  postponeCreation,
  takeUnsettledCreations,
  type UnsettledCreation,
  updateCreationAbsent,
} from './unsettled.queries.ts'

const atOnce = 50

export type SettleContext = {
  db: Database
  queue: Queue
  controllers: Controllers
  today: (at: Date) => string
  config: { settleSeconds: number }
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** Finds out what became of creations that nobody finished. Never makes a voucher: it only looks. */
export async function settleCreations(ctx: SettleContext): Promise<number> {
  const creations = await takeUnsettledCreations(ctx.db, atOnce)
  const settled = await Promise.all(creations.map((creation) => settle(ctx, creation)))
  return settled.filter(Boolean).length
}

async function settle(ctx: SettleContext, creation: UnsettledCreation): Promise<boolean> {
  const site = await findSiteOnController(ctx.db, creation.siteId)
  if (!site) return false
  try {
    const found = await look(ctx, site, creation)
    if (found === 'postponed') return false
    if (found) ctx.log.info({ site: site.id, creation: creation.id }, 'a voucher was found and recorded')
    else ctx.log.info({ site: site.id, creation: creation.id }, 'a creation made nothing')
    return true
  } catch (err) {
    if (!(err instanceof ControllerError || err instanceof DomainError))
      ctx.log.warn({ err, site: site.id, creation: creation.id }, 'a creation could not be settled yet')
    await postponeCreation(ctx.db, creation, pauseSeconds(ctx, creation))
    return false
  }
}

async function look(
  ctx: SettleContext,
  site: SiteOnController,
  creation: UnsettledCreation,
): Promise<boolean | 'postponed'> {
  const { id: creationId, shape: asked, sentAt, apiKeyId, source } = creation
  const seen = await ctx.controllers.inBackground(site.controllerId, () =>
    collect(ctx.controllers.connectionOf(site).listNamed(site.controllerSite, asked.name)),
  )
  const candidates = madeFor(seen, asked, sentAt)
  if (candidates.length > 0 && (await findOpenTwin(ctx.db, creation))) {
    await postponeCreation(ctx.db, creation, 1)
    return 'postponed'
  }
  const actor = { apiKeyId, allSites: true, source }
  const recording = { site, creationId, actor, candidates, asked, day: ctx.today(sentAt) }
  if (candidates.length > 0 && (await recordVoucher(ctx, recording))) return true
  if (creation.secondsSinceSent < ctx.config.settleSeconds) {
    await postponeCreation(ctx.db, creation, pauseSeconds(ctx, creation))
    return 'postponed'
  }
  await updateCreationAbsent(ctx.db, creation)
  return false
}

/** Longer from look to look, and one right after the time is over. */
function pauseSeconds(ctx: SettleContext, { secondsSinceSent }: UnsettledCreation): number {
  const left = ctx.config.settleSeconds - secondsSinceSent
  const next = Math.min(10, Math.max(1, secondsSinceSent / 4))
  return left > 0 ? Math.min(next, left + 0.5) : next
}
