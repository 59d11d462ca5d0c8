import { createTimeoutMs } from '#drivers/driver.ts'
import type { Calendar } from '#lib/clock.ts'
import type { Observer } from '#lib/observer.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import { readWholeList } from '../controllers/whole-list.ts'
import { noteFailure, type OutageContext } from '../outages/track-outages.ts'
import {
  hasSimilarOpenCreation,
  postponeCreations,
  takeUnsettledCreations,
  type UnsettledCreation,
  updateCreationsAbsent,
} from '../record/unsettled-creations.queries.ts'
import { bringSyncForward, findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'
import { latestTimeOf, matchCandidates } from './match-candidates.ts'
import { recordVouchers } from './record-vouchers.ts'

const maxAtOnce = 50
/**
 * After an outage, a voucher must turn up within this time. A controller that hung still handles the requests that it had received:
 * it answers the probe, which came last, at about the same time.
 */
const afterOutageSeconds = 5

export type SettleContext = OutageContext & {
  today: Calendar
  config: { settleSeconds: number }
  observer?: Pick<Observer, 'creationsEnded'> | undefined
}

/**
 * Takes due creations that no process finished, in groups that need only one lookup. Each `settle` looks for their vouchers, makes
 * none, and returns how many creations it settled.
 */
export async function takeUnsettled(
  ctx: SettleContext,
  limit: number,
): Promise<{ id: string; settle: () => Promise<number> }[]> {
  const creations = await takeUnsettledCreations(ctx.db, Math.min(limit, maxAtOnce))
  const asked = Map.groupBy(creations, ({ siteId, id, batchId, sentAt, note, shape }) =>
    JSON.stringify([siteId, batchId ?? id, sentAt, note, shape]),
  )
  return [...asked.values()].map((alike) => ({
    id: (alike[0] as UnsettledCreation).id,
    settle: () => settle(ctx, alike),
  }))
}

/** Settles creations with the same name and limits by one lookup. Returns how many are settled. */
async function settle(ctx: SettleContext, alike: UnsettledCreation[]): Promise<number> {
  const [first] = alike as [UnsettledCreation]
  const site = await findSiteOnController(ctx.db, first.siteId)
  if (!site) return 0
  const creation = { site: site.id, creation: first.id, count: alike.length }
  try {
    const { found, absent } = await look(ctx, site, alike)
    ctx.observer?.creationsEnded('found', found)
    ctx.observer?.creationsEnded('absent', absent)
    if (found > 0) ctx.log.info({ ...creation, found }, 'vouchers were found and recorded')
    if (absent > 0) ctx.log.info({ ...creation, absent }, 'creations ended without a voucher')
    return found + absent
  } catch (err) {
    await postponeCreations(ctx.db, site.id, idsOf(alike), pauseSeconds(ctx, alike))
    const failure = controllerFailure(err)
    if (failure === undefined) ctx.log.warn({ err, ...creation }, 'a creation could not be settled yet')
    else await noteFailure(ctx, site, failure)
    return 0
  }
}

async function look(
  ctx: SettleContext,
  site: SiteOnController,
  alike: UnsettledCreation[],
): Promise<{ found: number; absent: number }> {
  const [first] = alike as [UnsettledCreation]
  const { shape: asked, sentAt, maker, batchId } = first
  const seen = await ctx.controllers.inBackground(site.controllerId, () =>
    readWholeList(ctx.controllers.connectionOf(site).listNamed(site.controllerSite, first.note)),
  )
  const candidates = matchCandidates(seen, first, {
    skewIsKnown: site.stampSkewMs !== null,
    until: latestTime(ctx, first),
  })
  if (candidates.length > 0 && (await hasSimilarOpenCreation(ctx.db, first, idsOf(alike), ['open']))) {
    await postponeCreations(ctx.db, site.id, idsOf(alike), 1)
    return { found: 0, absent: 0 }
  }
  const recording = { site, creationIds: idsOf(alike), maker, batchId, candidates, asked, day: ctx.today(sentAt) }
  const recorded = candidates.length > 0 ? await recordVouchers(ctx, recording) : []
  const found = new Set(recorded.map(({ creationId }) => creationId))
  const left = idsOf(alike).filter((id) => !found.has(id))
  if (left.length === 0) return { found: found.size, absent: 0 }
  if (secondsUntilDecision(ctx, alike) > 0) {
    await postponeCreations(ctx.db, site.id, left, pauseSeconds(ctx, alike))
    return { found: found.size, absent: 0 }
  }
  await updateCreationsAbsent(ctx.db, site.id, left)
  await bringSyncForward(ctx.db, site.id, 'failed') // finds a voucher that turns up late nevertheless
  return { found: found.size, absent: left.length }
}

/**
 * The latest time at which the voucher can have been made; undefined until it has passed. Until then no voucher can be too
 * late, and a clock that is ahead would hide the right one.
 */
function latestTime({ config }: SettleContext, creation: UnsettledCreation): Date | undefined {
  const latest = latestTimeOf(creation, config.settleSeconds)
  const now = creation.sentAt.getTime() + creation.secondsSinceSent * 1_000
  return now > latest.getTime() ? latest : undefined
}

function idsOf(creations: UnsettledCreation[]): string[] {
  return creations.map(({ id }) => id)
}

/**
 * The seconds until a lookup that finds nothing means that there is no voucher: until the settle window ends or, after an outage that
 * began during the window, until a short time after its end. The call for these creations ends first.
 */
function secondsUntilDecision({ config }: SettleContext, alike: UnsettledCreation[]): number {
  const [{ secondsSinceSent, secondsSinceOutage }] = alike as [UnsettledCreation]
  const untilWindowEnds = config.settleSeconds - secondsSinceSent
  if (secondsSinceOutage === null) return untilWindowEnds
  const secondsSinceCall = secondsSinceSent - createTimeoutMs(alike.length) / 1_000
  return Math.min(untilWindowEnds, afterOutageSeconds - Math.min(secondsSinceOutage, secondsSinceCall))
}

/** The pause grows with each lookup. One lookup follows as soon as it can decide. */
function pauseSeconds(ctx: SettleContext, alike: UnsettledCreation[]): number {
  const [{ secondsSinceSent }] = alike as [UnsettledCreation]
  const left = secondsUntilDecision(ctx, alike)
  const next = Math.min(5, Math.max(1, secondsSinceSent / 4))
  return left > 0 ? Math.min(next, left + 0.1) : next
}
