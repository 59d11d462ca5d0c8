import type { Database } from '#db/database.ts'
import type { Failure } from '#drivers/driver.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'
import { type Deletion, deleteInHalves } from './delete-in-halves.ts'
import {
  type DueWithdrawal,
  postponeDueWithdrawals,
  postponeWithdrawals,
  takeDueWithdrawals,
} from './due-withdrawals.queries.ts'
import { settleWithdrawals } from './settle-withdrawals.ts'

/** As many as fit into one call of the Integration API. */
const atOnce = 50
/** Then the others get a turn; what is left comes back with the next sweep. */
const turnMs = 20_000

export type WithdrawContext = {
  db: Database
  controllers: Controllers
  today: (at: Date) => string
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** Takes everything that is due on a site off its controller, then notes it. Doing it twice does no harm. */
export async function withdrawDue(ctx: WithdrawContext, siteId: number): Promise<void> {
  const site = await findSiteOnController(ctx.db, siteId)
  if (!site) return
  const endOfTurn = Date.now() + turnMs
  while (Date.now() < endOfTurn) {
    const due = await takeDueWithdrawals(ctx.db, siteId, atOnce)
    if (due.length === 0 || !(await withdraw(ctx, site, due))) return
  }
}

/** False when there is no use in going on. No database connection is held while the controller is called. */
async function withdraw(ctx: WithdrawContext, site: SiteOnController, due: DueWithdrawal[]): Promise<boolean> {
  const open = due.filter(({ state }) => state === 'open')
  const { gone, left, stoppedBy } = await deleteOn(ctx, site, open)
  const isGone = new Set(gone)
  const revoked = open.filter(({ controllerVoucherId }) => isGone.has(controllerVoucherId as string))
  await settleWithdrawals(ctx, site.id, {
    revoked: [...revoked, ...due.filter(({ state }) => state === 'gone')],
    ended: due.filter(({ state }) => state === 'ended'),
    nameless: open.filter(({ controllerVoucherId }) => controllerVoucherId === null),
  })
  if (left.length > 0) await postpone(ctx, site, open, left)
  if (stoppedBy) await postponeDueWithdrawals(ctx.db, site.id, stoppedBy)
  return stoppedBy === undefined
}

function deleteOn(ctx: WithdrawContext, site: SiteOnController, open: DueWithdrawal[]): Promise<Deletion> {
  const ids = new Set(open.flatMap(({ controllerVoucherId }) => controllerVoucherId ?? []))
  const remove = (piece: string[]) =>
    ctx.controllers.inBulk(site.controllerId, () =>
      ctx.controllers.connectionOf(site).delete(site.controllerSite, piece),
    )
  return deleteInHalves(remove, [...ids])
}

async function postpone(
  ctx: WithdrawContext,
  site: SiteOnController,
  open: DueWithdrawal[],
  left: Deletion['left'],
): Promise<void> {
  const failures = new Map<string | null, Failure>(left.map(({ id, failure }) => [id, failure]))
  const byFailure = Map.groupBy(open, ({ controllerVoucherId }) => failures.get(controllerVoucherId))
  for (const [failure, rows] of byFailure) {
    if (failure === undefined) continue
    const ids = rows.map(({ id }) => id)
    await postponeWithdrawals(ctx.db, site.id, failure, ids)
    ctx.log.warn(
      { site: site.id, controller: site.controllerId, failure, count: ids.length },
      'vouchers could not be withdrawn yet',
    )
  }
}
