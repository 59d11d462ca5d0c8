import type { Database } from '#db/database.ts'
import { ControllerError } from '#drivers/driver.ts'
import type { Queue } from '#queue/queue.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { DomainError } from '../errors.ts'
import { findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'
import { collect } from './collect.ts'
import { madeFor } from './made-for.ts'
import { recordVouchers } from './record-vouchers.ts'
import {
  findOpenTwin,
  postponeCreations,
  takeUnsettledCreations,
  type UnsettledCreation,
  updateCreationsAbsent,
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
  const asked = Map.groupBy(creations, ({ siteId, id, batchId, sentAt, shape }) =>
    JSON.stringify([siteId, batchId ?? id, sentAt, shape]),
  )
  const settled = await Promise.all([...asked.values()].map((alike) => settle(ctx, alike)))
  return settled.reduce((total, count) => total + count, 0)
}

/** Creations that asked for the same, together: one look is enough for all. Returns how many are settled. */
async function settle(ctx: SettleContext, alike: UnsettledCreation[]): Promise<number> {
  const [first] = alike as [UnsettledCreation]
  const site = await findSiteOnController(ctx.db, first.siteId)
  if (!site) return 0
  const creation = { site: site.id, creation: first.id, count: alike.length }
  try {
    const { found, absent } = await look(ctx, site, alike)
    if (found > 0) ctx.log.info({ ...creation, found }, 'vouchers were found and recorded')
    if (absent > 0) ctx.log.info({ ...creation, absent }, 'creations made nothing')
    return found + absent
  } catch (err) {
    if (!(err instanceof ControllerError || err instanceof DomainError))
      ctx.log.warn({ err, ...creation }, 'a creation could not be settled yet')
    await postponeCreations(ctx.db, site.id, idsOf(alike), pauseSeconds(ctx, first))
    return 0
  }
}

async function look(
  ctx: SettleContext,
  site: SiteOnController,
  alike: UnsettledCreation[],
): Promise<{ found: number; absent: number }> {
  const [first] = alike as [UnsettledCreation]
  const { shape: asked, sentAt, apiKeyId, source } = first
  const seen = await ctx.controllers.inBackground(site.controllerId, () =>
    collect(ctx.controllers.connectionOf(site).listNamed(site.controllerSite, asked.name)),
  )
  const candidates = madeFor(seen, asked, sentAt)
  if (candidates.length > 0 && (await findOpenTwin(ctx.db, first, idsOf(alike)))) {
    await postponeCreations(ctx.db, site.id, idsOf(alike), 1)
    return { found: 0, absent: 0 }
  }
  const actor = { apiKeyId, allSites: true, source }
  const recording = { site, creationIds: idsOf(alike), actor, candidates, asked, day: ctx.today(sentAt) }
  const recorded = candidates.length > 0 ? await recordVouchers(ctx, recording) : []
  const found = new Set(recorded.map(({ creationId }) => creationId))
  const left = idsOf(alike).filter((id) => !found.has(id))
  if (left.length === 0) return { found: found.size, absent: 0 }
  if (first.secondsSinceSent < ctx.config.settleSeconds) {
    await postponeCreations(ctx.db, site.id, left, pauseSeconds(ctx, first))
    return { found: found.size, absent: 0 }
  }
  await updateCreationsAbsent(ctx.db, site.id, left)
  return { found: found.size, absent: left.length }
}

function idsOf(creations: UnsettledCreation[]): string[] {
  return creations.map(({ id }) => id)
}

/** Longer from look to look, and one right after the time is over. */
function pauseSeconds(ctx: SettleContext, { secondsSinceSent }: UnsettledCreation): number {
  const left = ctx.config.settleSeconds - secondsSinceSent
  const next = Math.min(10, Math.max(1, secondsSinceSent / 4))
  return left > 0 ? Math.min(next, left + 0.5) : next
}
