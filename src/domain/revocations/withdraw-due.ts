import { type Queryable, retryTransaction } from '#db/database.ts'
import type { Disconnection, Failure } from '#drivers/driver.ts'
import type { Calendar, Clock } from '#lib/clock.ts'
import { reachPoint } from '#lib/points.ts'
import { controllerFailure, isUnanswered } from '../controllers/controller-failure.ts'
import { notifyRevoked } from '../deliveries/notify-webhooks.ts'
import { findHold } from '../hold.queries.ts'
import { noteFailure, type OutageContext } from '../outages/track-outages.ts'
import {
  countRevoked,
  type DueWithdrawal,
  postponeDueWithdrawals,
  postponeUnfinishedDisconnects,
  postponeUnsettledWithdrawals,
  postponeWithdrawals,
  type SettledWithdrawal,
  takeDueWithdrawals,
  updateDisconnectsFailed,
  updateVouchersWithdrawn,
  updateWithdrawalsSettled,
} from '../record/due-withdrawals.queries.ts'
import { type WithdrawalKind, withdrawalKinds } from '../record/withdrawals.queries.ts'
import { bringSyncForward, findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'
import { type Deletion, deleteInHalves } from './delete-in-halves.ts'
import { createUseFinder, type VouchersByUse } from './find-used.ts'

/** The most vouchers that one call of the Integration API deletes. */
const atOnce = 50
/** After this time other sites get a turn. The next sweep continues. */
const turnMs = 20_000

export type WithdrawContext = OutageContext & { clock: Clock; today: Calendar }

/**
 * Deletes the due vouchers of a site on its controller, then records it. Withdrawals of one kind are carried out in groups of 50,
 * one after the other. Kinds do not wait for each other. Two workers may run this at the same time.
 */
export async function withdrawDue(
  ctx: WithdrawContext,
  siteId: number,
  kinds: readonly WithdrawalKind[] = withdrawalKinds,
  stopping?: AbortSignal,
): Promise<void> {
  const site = await findSiteOnController(ctx.db, siteId)
  if (site) await Promise.all(kinds.map((kind) => withdrawKind(ctx, site, kind, stopping)))
}

async function withdrawKind(
  ctx: WithdrawContext,
  site: SiteOnController,
  kind: WithdrawalKind,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const endOfTurn = performance.now() + turnMs
  const findUsed = createUseFinder(ctx, site)
  while (!stopping?.aborted && performance.now() < endOfTurn) {
    const due = await takeDueWithdrawals(ctx.db, site.id, kind, atOnce)
    if (due.length === 0 || !(await withdraw(ctx, { site, kind }, due, findUsed))) return
  }
}

type Place = { site: SiteOnController; kind: WithdrawalKind }

/**
 * Withdraws these vouchers. Returns false when the controller cannot be used at present, or a hold began during the wait for a
 * slot. Vouchers that the hold stopped wait for `resume`. No database connection is held during a call of the controller.
 */
async function withdraw(
  ctx: WithdrawContext,
  place: Place,
  due: DueWithdrawal[],
  findUsed: (conditional: DueWithdrawal[]) => Promise<VouchersByUse>,
): Promise<boolean> {
  const { site } = place
  const { unsettled = [], none = [] } = Object.groupBy(due, ({ state }) => state)
  if (unsettled.length > 0) await postponeUnsettledWithdrawals(ctx.db, site.id, idsOf(unsettled))
  const made = due.filter(({ state }) => state !== 'unsettled' && state !== 'none')
  const conditional = made.filter(({ onlyUnused, state }) => onlyUnused && state === 'live')
  const byUse = await findUsed(conditional)
  if (byUse.failure) await postponeWithdrawals(ctx.db, site.id, byUse.failure, idsOf(byUse.unknown))
  const isLeftAlone = new Set([...byUse.used, ...byUse.vanished, ...byUse.unknown])
  const toDelete = made.filter((withdrawal) => !isLeftAlone.has(withdrawal))

  const [nameless, named] = [toDelete.filter((withdrawal) => !isNamed(withdrawal)), toDelete.filter(isNamed)]
  const { gone, left, stoppedBy } = await deleteOn(ctx, place, named)
  const isGone = new Set(gone)
  const deleted = named.filter(({ controllerVoucherId }) => isGone.has(controllerVoucherId))
  const disconnections = await disconnect(ctx, place, deleted)
  const byProgress = groupByProgress(deleted, disconnections)

  const { over = [], current = [] } = Object.groupBy(nameless, ({ state }) => (state === 'over' ? 'over' : 'current'))
  await settle(ctx, site, { ...byProgress, deleted }, [
    ...byProgress.done,
    ...[...over, ...none, ...byUse.vanished].map(({ id }) => ({ id, outcome: 'ended' as const })),
    ...byUse.used.map(({ id }) => ({ id, outcome: 'kept' as const })),
    ...current.map(({ id }) => ({ id, outcome: 'failed' as const, failure: 'no_id' as const })),
  ])
  if (left.length > 0) await postpone(ctx, site, named, left)
  if (stoppedBy === 'held') return false
  const failure = stoppedBy ?? ifUnusable(disconnections.failure) ?? ifUnanswered(byUse.failure)
  return failure === undefined || stop(ctx, place, failure)
}

/** The failure, if it means that the controller may be down. Otherwise only the list is the problem. */
function ifUnanswered(failure: Failure | undefined): Failure | undefined {
  return failure !== undefined && isUnanswered(failure) ? failure : undefined
}

/** Like `ifUnanswered`, but a busy controller gets a pause too. */
function ifUnusable(failure: Failure | undefined): Failure | undefined {
  return failure === 'busy' ? failure : ifUnanswered(failure)
}

/** Ends the turn and postpones all due withdrawals of this kind, because the controller cannot be used at present. */
async function stop(ctx: WithdrawContext, { site, kind }: Place, failure: Failure): Promise<false> {
  if (failure === 'busy') return false // the other withdrawals stay due, and the next sweep takes them
  await postponeDueWithdrawals(ctx.db, site.id, { kind, failure })
  await noteFailure(ctx, site, failure)
  return false
}

type Named = DueWithdrawal & { controllerVoucherId: string; code: string; createdAt: Date }

function isNamed(withdrawal: DueWithdrawal): withdrawal is Named {
  return withdrawal.controllerVoucherId !== null
}

function idsOf(withdrawals: DueWithdrawal[]): string[] {
  return withdrawals.map(({ id }) => id)
}

/** Deletes the vouchers on the controller, whatever the record says about them, because it may be wrong. */
function deleteOn(ctx: WithdrawContext, { site, kind }: Place, named: Named[]): Promise<Deletion> {
  const ids = new Set(named.map(({ controllerVoucherId }) => controllerVoucherId))
  const remove = (piece: string[]) =>
    ctx.controllers.inBulk(
      site.controllerId,
      async (hasWaited) => {
        if (hasWaited && (await findHold(ctx.db))) return 'held'
        await ctx.controllers.connectionOf(site).delete(site.controllerSite, piece)
      },
      { goesFirst: kind !== 'bulk' },
    )
  return deleteInHalves(remove, [...ids])
}

type Disconnections = {
  /** Vouchers that the driver has not tried, or not tried completely, have no entry. */
  byId: Map<string, Disconnection>
  failure?: Failure
}

/**
 * Disconnects the devices of deleted vouchers. Vouchers that were withdrawn because nobody used them have no devices. If the
 * call fails for all of them, this counts as an attempt only if the controller can be reached and is not busy.
 */
async function disconnect(ctx: WithdrawContext, { site, kind }: Place, deleted: Named[]): Promise<Disconnections> {
  const perhapsOnline = deleted
    .filter(({ onlyUnused }) => !onlyUnused)
    .map(({ controllerVoucherId: id, code, createdAt }) => ({ id, code, createdAt }))
  if (perhapsOnline.length === 0) return { byId: new Map() }
  try {
    const byId = await ctx.controllers.inBulk(
      site.controllerId,
      () => ctx.controllers.connectionOf(site).disconnect(site.controllerSite, perhapsOnline),
      { goesFirst: kind !== 'bulk' },
    )
    return { byId }
  } catch (error) {
    const failure = controllerFailure(error)
    if (failure === undefined) throw error
    const isUnusable = failure === 'busy' || (await noteFailure(ctx, site, failure))
    return { byId: new Map(isUnusable ? [] : perhapsOnline.map(({ id }) => [id, 'failed'])), failure }
  }
}

/** Failures that another attempt does not change: the account may not disconnect devices, or the controller cannot. */
const lasting: Failure[] = ['forbidden', 'missing', 'rejected']
/** After this many failed attempts, a withdrawal is settled although its devices could not be disconnected. */
const maxDisconnectAttempts = 5

type ByProgress = {
  done: SettledWithdrawal[]
  /** The devices may still be online. The next attempt tries again. */
  failed: Named[]
  /** The driver had no time for all devices. The next attempt continues. */
  unfinished: Named[]
}

function groupByProgress(deleted: Named[], { byId, failure }: Disconnections): ByProgress {
  const isFinal = failure !== undefined && lasting.includes(failure)
  const [done, failed, unfinished]: [SettledWithdrawal[], Named[], Named[]] = [[], [], []]
  for (const withdrawal of deleted) {
    const { id, state, onlyUnused, disconnectAttempts, controllerVoucherId } = withdrawal
    const disconnected = onlyUnused ? 'none_online' : byId.get(controllerVoucherId)
    const isTriedAgain = disconnected === 'failed' && !isFinal && disconnectAttempts + 1 < maxDisconnectAttempts
    if (disconnected === undefined) unfinished.push(withdrawal)
    else if (isTriedAgain) failed.push(withdrawal)
    else done.push({ id, outcome: state === 'over' ? 'ended' : 'revoked', disconnected })
  }
  return { done, failed, unfinished }
}

/**
 * Commits the vouchers, the day's count, the list's version, the events and the outcome of each withdrawal together. A voucher
 * whose devices may still be online counts as revoked already, but its withdrawal stays open.
 */
async function settle(
  ctx: WithdrawContext,
  site: SiteOnController,
  { deleted, failed, unfinished }: Pick<ByProgress, 'failed' | 'unfinished'> & { deleted: Named[] },
  settled: SettledWithdrawal[],
): Promise<void> {
  if (deleted.length + settled.length === 0) return
  await retryTransaction(ctx.db, async (tx) => {
    await recordWithdrawn(ctx, tx, site, deleted)
    if (settled.some(({ outcome }) => outcome === 'kept')) await bringSyncForward(tx, site.id, 'used')
    await updateWithdrawalsSettled(tx, site.id, settled)
    if (failed.length > 0) await updateDisconnectsFailed(tx, site.id, failed)
    if (unfinished.length > 0) await postponeUnfinishedDisconnects(tx, site.id, idsOf(unfinished))
    reachPoint('before event commit')
  })
}

async function recordWithdrawn(
  ctx: WithdrawContext,
  tx: Queryable,
  site: SiteOnController,
  deleted: Named[],
): Promise<void> {
  const withdrawn = deleted.filter(({ state }) => state !== 'over')
  const revoked = withdrawn.length > 0 ? await updateVouchersWithdrawn(tx, site.id, withdrawn) : []
  if (revoked.length === 0) return
  await countRevoked(tx, site.id, ctx.today(ctx.clock.now()), revoked.length)
  await notifyRevoked(tx, ctx.queue, site, revoked)
}

/** Postpones vouchers that could not be deleted. */
async function postpone(
  ctx: WithdrawContext,
  site: SiteOnController,
  named: Named[],
  left: Deletion['left'],
): Promise<void> {
  const failures = new Map<string, Failure>(left.map(({ id, failure }) => [id, failure]))
  const byFailure = Map.groupBy(named, ({ controllerVoucherId }) => failures.get(controllerVoucherId))
  for (const [failure, rows] of byFailure) {
    if (failure === undefined) continue
    const ids = idsOf(rows)
    await postponeWithdrawals(ctx.db, site.id, failure, ids)
    ctx.log.warn(
      { site: site.id, controller: site.controllerId, failure, count: ids.length },
      'vouchers could not be withdrawn yet',
    )
  }
}
