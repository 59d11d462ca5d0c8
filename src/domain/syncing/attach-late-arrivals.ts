import type { Database, Queryable } from '#db/database.ts'
import type { ControllerVoucher, SeenVoucher } from '#drivers/driver.ts'
import type { Calendar, Clock } from '#lib/clock.ts'
import type { Queue } from '#queue/queue.ts'
import { service } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { isCertainlyFor, latestTimeOf, matchCandidates } from '../creating/match-candidates.ts'
import { recordVouchers } from '../creating/record-vouchers.ts'
import { insertAdoptedVouchers } from '../record/observe-vouchers.queries.ts'
import { recordSurplusVoucher } from '../record/record-vouchers.queries.ts'
import {
  type GivenUpCreation,
  hasSimilarOpenCreation,
  listGivenUpCreations,
  lockGivenUp,
  updateSurplus,
} from '../record/unsettled-creations.queries.ts'
import { insertScheduledWithdrawals } from '../record/withdrawals.queries.ts'
import { enqueueWithdrawals } from '../revocations/enqueue-withdrawals.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'

type LateContext = {
  db: Database
  queue: Queue
  clock: Clock
  today: Calendar
  config: { settleSeconds: number }
}

/**
 * Handles vouchers that appear after their creation was given up. If the client has received no other voucher since then, the
 * late voucher is recorded for the last attempt. Otherwise it is surplus: it is withdrawn if it was certainly made for this
 * creation, and only noted in the audit if it may be somebody else's. Returns the vouchers that are recorded now.
 */
export async function attachLateArrivals(
  ctx: LateContext,
  site: SiteOnController,
  unrecorded: SeenVoucher[],
): Promise<SeenVoucher[]> {
  const givenUp = unrecorded.length === 0 ? [] : await listGivenUpCreations(ctx.db, site.id)
  // A batch may give up 1,000 creations, and each one searches the remaining vouchers. With 20,000 vouchers made by others, this
  // would take seconds.
  const notes = new Set(givenUp.map(({ note }) => note))
  const free = unrecorded.filter(({ shape }) => notes.has(shape.name))
  const recorded: SeenVoucher[] = []
  for (const creation of givenUp) {
    const until = latestTime(ctx, creation)
    const [late] = matchCandidates(free, creation, { skewIsKnown: site.stampSkewMs !== null, until })
    if (!late) continue
    free.splice(free.indexOf(late), 1)
    if (await attach(ctx, site, creation, late)) recorded.push(late)
  }
  return recorded
}

/**
 * A voucher can be made until the settle window ends, also for a creation that was given up earlier because an outage ended. Later
 * than that, vouchers belong to the creation only if it was not given up yet.
 */
function latestTime({ config: { settleSeconds } }: LateContext, creation: GivenUpCreation): Date {
  const windowEndsAt = creation.sentAt.getTime() + settleSeconds * 1_000
  const latest = latestTimeOf(creation, settleSeconds).getTime()
  return new Date(Math.min(latest, Math.max(windowEndsAt, creation.givenUpAt.getTime())))
}

async function attach(
  ctx: LateContext,
  site: SiteOnController,
  creation: GivenUpCreation,
  late: ControllerVoucher,
): Promise<boolean> {
  const { lastAttemptId, lastAttemptState, maker, batchId, shape: asked, sentAt } = creation
  if (lastAttemptState === 'open' || lastAttemptState === 'unknown') return false // the last attempt may still find this voucher
  if (await hasSimilarOpenCreation(ctx.db, creation, [creation.id], ['open', 'unknown'])) return false // or another one
  const isSurplus = lastAttemptState === 'recorded' || (creation.isRevoked && lastAttemptId !== creation.id)
  if (isSurplus) return handleSurplus(ctx, site, creation, late)
  const day = ctx.today(sentAt)
  const recording = { site, creationIds: [lastAttemptId], maker, batchId, candidates: [late], asked, day }
  const recorded = await recordVouchers(ctx, recording)
  return recorded.some(({ answer }) => answer.code === late.code)
}

/**
 * Withdraws a surplus voucher, or only notes it in the audit. A voucher that a guest already uses stays and is recorded. True when
 * the voucher is recorded now.
 */
async function handleSurplus(
  ctx: LateContext,
  site: SiteOnController,
  creation: GivenUpCreation,
  surplus: ControllerVoucher,
): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const isCertain = surplus.id !== null && isCertainlyFor(surplus, creation, latestTime(ctx, creation))
    const what = surplus.usedCount > 0 ? 'in_use' : isCertain ? 'withdrawn' : 'suspected'
    if (!(await lockGivenUp(tx, site.id, creation.id))) return false // another process has handled it
    if (what === 'withdrawn' && !(await withdraw(ctx, tx, site, creation, surplus))) return false
    await updateSurplus(tx, site.id, creation.id, what)
    const details = { creationId: creation.id, controllerVoucherId: surplus.id }
    const deed = { action: `voucher.surplus_${what}`, targetKind: 'site', targetId: String(site.id), details }
    await recordAudit(tx, service, deed)
    const adopting = { siteId: site.id, today: ctx.today, now: ctx.clock.now() }
    if (what === 'in_use') await insertAdoptedVouchers(tx, adopting, [surplus])
    return what !== 'suspected'
  })
}

/** Records the voucher, so that no other creation gets it, and schedules its withdrawal. False when a creation has it. */
async function withdraw(
  ctx: LateContext,
  tx: Queryable,
  site: SiteOnController,
  { id, maker, shape, sentAt }: GivenUpCreation,
  surplus: ControllerVoucher,
): Promise<boolean> {
  const shared = { siteId: site.id, maker, shape, day: ctx.today(sentAt) }
  const voucherId = await recordSurplusVoucher(tx, shared, id, surplus)
  if (voucherId === undefined) return false
  await insertScheduledWithdrawals(tx, site.id, [{ voucherId, reason: 'repair' }])
  await enqueueWithdrawals(tx, ctx.queue, [site.id], 'bulk')
  return true
}
