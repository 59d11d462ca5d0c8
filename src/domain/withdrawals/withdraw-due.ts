import { retryTransaction } from '#db/database.ts'
import type { Failure } from '#drivers/driver.ts'
import type { Clock } from '#lib/clock.ts'
import { reachPoint } from '#lib/points.ts'
import { notifyRevoked } from '../deliveries/notify-webhooks.ts'
import { noteFailure, type OutageContext } from '../outages/track-outages.ts'
import { findSiteOnController, moveSiteDay, type SiteOnController } from '../sites/sites.queries.ts'
import { type Deletion, deleteInHalves } from './delete-in-halves.ts'
import {
  type DueWithdrawal,
  postponeDueWithdrawals,
  postponeUnsettledWithdrawals,
  postponeWithdrawals,
  takeDueWithdrawals,
  updateVouchersWithdrawn,
  updateWithdrawalsSettled,
} from './due-withdrawals.queries.ts'

/** The most vouchers that one call of the Integration API deletes. */
const atOnce = 50
/** After this time other sites get a turn. The next sweep continues. */
const turnMs = 20_000

export type WithdrawContext = OutageContext & { clock: Clock; today: (at: Date) => string }

/** Deletes all due vouchers of a site on its controller, then records it. It may run twice at the same time. */
export async function withdrawDue(ctx: WithdrawContext, siteId: number, stopping?: AbortSignal): Promise<void> {
  const site = await findSiteOnController(ctx.db, siteId)
  if (!site) return
  const endOfTurn = performance.now() + turnMs
  while (!stopping?.aborted && performance.now() < endOfTurn) {
    const due = await takeDueWithdrawals(ctx.db, siteId, atOnce)
    if (due.length === 0 || !(await withdraw(ctx, site, due))) return
  }
}

/**
 * Deletes these vouchers on the controller, whatever the record says. The record may be wrong, and a completed withdrawal must leave
 * no voucher on the controller. Returns false when the controller cannot be used at present. No database connection is held during
 * the call.
 */
async function withdraw(ctx: WithdrawContext, site: SiteOnController, due: DueWithdrawal[]): Promise<boolean> {
  const { unsettled = [], none = [] } = Object.groupBy(due, ({ state }) => state)
  if (unsettled.length > 0) await postponeUnsettledWithdrawals(ctx.db, site.id, idsOf(unsettled))
  const made = due.filter(({ state }) => state !== 'unsettled' && state !== 'none')
  const [nameless, named] = [made.filter(({ controllerVoucherId }) => !controllerVoucherId), made.filter(isNamed)]
  const { gone, left, stoppedBy } = await deleteOn(ctx, site, named)
  const isGone = new Set(gone)
  const deleted = named.filter(({ controllerVoucherId }) => isGone.has(controllerVoucherId))
  await settle(ctx, site, {
    revoked: deleted.filter(({ state }) => state !== 'over'),
    ended: [...deleted, ...nameless].filter(({ state }) => state === 'over').concat(none),
    nameless: nameless.filter(({ state }) => state !== 'over'),
  })
  if (left.length > 0) await postpone(ctx, site, named, left)
  if (stoppedBy) {
    await postponeDueWithdrawals(ctx.db, site.id, stoppedBy)
    await noteFailure(ctx, site, stoppedBy)
  }
  return stoppedBy === undefined
}

type Named = DueWithdrawal & { controllerVoucherId: string }

function isNamed(withdrawal: DueWithdrawal): withdrawal is Named {
  return withdrawal.controllerVoucherId !== null
}

function idsOf(withdrawals: DueWithdrawal[]): string[] {
  return withdrawals.map(({ id }) => id)
}

function deleteOn(ctx: WithdrawContext, site: SiteOnController, named: Named[]): Promise<Deletion> {
  const ids = new Set(named.map(({ controllerVoucherId }) => controllerVoucherId))
  const remove = (piece: string[]) =>
    ctx.controllers.inBulk(site.controllerId, () =>
      ctx.controllers.connectionOf(site).delete(site.controllerSite, piece),
    )
  return deleteInHalves(remove, [...ids])
}

type Settled = {
  revoked: DueWithdrawal[]
  ended: DueWithdrawal[]
  /** Vouchers without an id of the controller: there is no way to say which one to delete. */
  nameless: DueWithdrawal[]
}

/** Commits the vouchers, the day's count, the list's version, the notification and the outcome of each withdrawal together. */
async function settle(ctx: WithdrawContext, site: SiteOnController, settled: Settled): Promise<void> {
  const siteId = site.id
  const { revoked, ended, nameless } = settled
  if (revoked.length + ended.length + nameless.length === 0) return
  await retryTransaction(ctx.db, async (tx) => {
    const withdrawn = revoked.map(({ voucherId }) => voucherId)
    const changed = withdrawn.length > 0 ? await updateVouchersWithdrawn(tx, siteId, withdrawn) : []
    if (changed.length > 0) {
      await moveSiteDay(tx, siteId, ctx.today(ctx.clock.now()), { revoked: changed.length })
      const reasonOf = new Map(revoked.map(({ voucherId, reason }) => [voucherId, reason]))
      const told = changed.map((voucher) => ({ ...voucher, reason: reasonOf.get(voucher.id) ?? 'request' }))
      await notifyRevoked(tx, ctx.queue, site, told)
    }
    await updateWithdrawalsSettled(tx, siteId, [
      ...revoked.map(({ id }) => ({ id, outcome: 'revoked' as const })),
      ...ended.map(({ id }) => ({ id, outcome: 'ended' as const })),
      ...nameless.map(({ id }) => ({ id, outcome: 'failed' as const, failure: 'no_id' as const })),
    ])
    reachPoint('before event commit')
  })
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
