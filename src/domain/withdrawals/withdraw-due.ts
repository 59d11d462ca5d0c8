import type { Failure } from '#drivers/driver.ts'
import type { Clock } from '#lib/clock.ts'
import { noteFailure, type OutageContext } from '../controllers/outages.ts'
import { findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'
import { type Deletion, deleteInHalves } from './delete-in-halves.ts'
import {
  type DueWithdrawal,
  postponeDueWithdrawals,
  postponeUnsettledWithdrawals,
  postponeWithdrawals,
  takeDueWithdrawals,
} from './due-withdrawals.queries.ts'
import { settleWithdrawals } from './settle-withdrawals.ts'

/** As many as fit into one call of the Integration API. */
const atOnce = 50
/** Then the others get a turn; what is left comes back with the next sweep. */
const turnMs = 20_000

export type WithdrawContext = OutageContext & { clock: Clock; today: (at: Date) => string }

/** Deletes all due vouchers of a site on its controller, then records it. Running it twice does no harm. */
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
 * False when there is no use in going on. Deletes on the controller whatever the record says: the record may be wrong, and
 * a withdrawal that is done leaves nothing there. No database connection is held while the controller is called.
 */
async function withdraw(ctx: WithdrawContext, site: SiteOnController, due: DueWithdrawal[]): Promise<boolean> {
  const { unsettled = [], none = [] } = Object.groupBy(due, ({ state }) => state)
  if (unsettled.length > 0) await postponeUnsettledWithdrawals(ctx.db, site.id, idsOf(unsettled))
  const made = due.filter(({ state }) => state !== 'unsettled' && state !== 'none')
  const [nameless, named] = [made.filter(({ controllerVoucherId }) => !controllerVoucherId), made.filter(isNamed)]
  const { gone, left, stoppedBy } = await deleteOn(ctx, site, named)
  const isGone = new Set(gone)
  const deleted = named.filter(({ controllerVoucherId }) => isGone.has(controllerVoucherId))
  await settleWithdrawals(ctx, site.id, {
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
