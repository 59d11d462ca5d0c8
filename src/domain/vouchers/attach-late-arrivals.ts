import type { Database, Queryable } from '#db/database.ts'
import type { ControllerVoucher, SeenVoucher } from '#drivers/driver.ts'
import type { Queue } from '#queue/queue.ts'
import { recordServiceAudit } from '../audit/record-audit.ts'
import { moveSiteDay } from '../sites/site-days.queries.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { enqueueWithdrawals } from '../withdrawals/enqueue-withdrawals.ts'
import { insertScheduledWithdrawals } from '../withdrawals/withdrawals.queries.ts'
import { isCertainlyFor, latestTimeOf, matchCandidates } from './match-candidates.ts'
import { recordVouchers } from './record-vouchers.ts'
import { insertAdoptedVouchers } from './sync.queries.ts'
import {
  findTwin,
  type GivenUpCreation,
  listGivenUpCreations,
  lockGivenUp,
  updateSurplus,
} from './unsettled.queries.ts'
import { claimVouchers } from './vouchers.queries.ts'

type LateContext = {
  db: Database
  queue: Queue
  today: (at: Date) => string
  config: { settleSeconds: number }
}

/**
 * Vouchers that turned up after their creation was given up. If its client made no other voucher since, the late one is
 * recorded for it. Otherwise there are two for one request: the late one is withdrawn where it is certain that it was made
 * for this creation, and only reported where it may be somebody else's. Returns what was recorded.
 */
export async function attachLateArrivals(
  ctx: LateContext,
  site: SiteOnController,
  unrecorded: SeenVoucher[],
): Promise<SeenVoucher[]> {
  const givenUp = unrecorded.length === 0 ? [] : await listGivenUpCreations(ctx.db, site.id)
  // A batch may give up 1,000, and each looks through what is left: 20,000 vouchers of others would cost seconds.
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

function latestTime({ config }: LateContext, creation: GivenUpCreation): Date {
  const latest = latestTimeOf(creation, config.settleSeconds)
  return latest < creation.givenUpAt ? latest : creation.givenUpAt
}

async function attach(
  ctx: LateContext,
  site: SiteOnController,
  creation: GivenUpCreation,
  late: ControllerVoucher,
): Promise<boolean> {
  const { lastAttemptId, lastAttemptState, apiKeyId, source, batchId, shape: asked, sentAt } = creation
  if (lastAttemptState === 'open' || lastAttemptState === 'unknown') return false // it may find this one itself
  if (await findTwin(ctx.db, creation, [creation.id], ['open', 'unknown'])) return false // so may another one
  const isSurplus = lastAttemptState === 'recorded' || (creation.isRevoked && lastAttemptId !== creation.id)
  if (isSurplus) return handleSurplus(ctx, site, creation, late)
  const actor = { apiKeyId, allSites: true, source }
  const day = ctx.today(sentAt)
  const recording = { site, creationIds: [lastAttemptId], actor, batchId, candidates: [late], asked, day }
  const recorded = await recordVouchers(ctx, recording)
  return recorded.some(({ answer }) => answer.code === late.code)
}

/** One that a guest uses already stays, and is recorded. */
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
    const details = { name: creation.shape.name, controllerVoucherId: surplus.id }
    const deed = { action: `voucher.surplus_${what}`, targetKind: 'site', targetId: String(site.id), details }
    await recordServiceAudit(tx, deed)
    if (what === 'in_use') await insertAdoptedVouchers(tx, site.id, [surplus])
    return what !== 'suspected'
  })
}

/** Records it, so that nobody is given it; the worker deletes it on the controller afterwards. False when somebody has it. */
async function withdraw(
  ctx: LateContext,
  tx: Queryable,
  site: SiteOnController,
  { id, apiKeyId, shape, sentAt }: GivenUpCreation,
  { id: controllerVoucherId, code }: ControllerVoucher,
): Promise<boolean> {
  const nothing = { reference: null, validUntil: null, batchId: null }
  const claim = { id, creationId: id, controllerVoucherId, code, ...nothing }
  const [claimed] = await claimVouchers(tx, { siteId: site.id, apiKeyId, shape }, [claim])
  if (!claimed) return false
  await moveSiteDay(tx, site.id, ctx.today(sentAt), { created: 1 })
  await insertScheduledWithdrawals(tx, site.id, [{ voucherId: claimed.id, dueAt: null }])
  await enqueueWithdrawals(tx, ctx.queue, [site])
  return true
}
