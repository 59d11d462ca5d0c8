import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '#db/database.ts'
import type { Clock } from '#lib/clock.ts'
import { moveSiteDay } from '../sites/site-days.queries.ts'
import { type DueWithdrawal, updateVouchersWithdrawn, updateWithdrawalsSettled } from './due-withdrawals.queries.ts'

type SettleContext = { db: Database; clock: Clock; today: (at: Date) => string }

type Settled = {
  revoked: DueWithdrawal[]
  ended: DueWithdrawal[]
  /** The controller has no id for them, so there is no way to say which one to delete. */
  nameless: DueWithdrawal[]
}

/** How long to wait before each further try: what is gone from the controller should not stand as valid here. */
const pausesMs = [100, 400, 1_000]

/** As `settleOnce`, again when the database was in trouble. */
export async function settleWithdrawals(ctx: SettleContext, siteId: number, settled: Settled): Promise<void> {
  if (Object.values(settled).every((rows) => rows.length === 0)) return
  for (const pauseMs of pausesMs) {
    try {
      return await settleOnce(ctx, siteId, settled)
    } catch {
      await pause(pauseMs)
    }
  }
  return settleOnce(ctx, siteId, settled)
}

/** One commit: the vouchers, the day's count, the list's version, and what became of each row. */
async function settleOnce(ctx: SettleContext, siteId: number, { revoked, ended, nameless }: Settled): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const withdrawn = revoked.map(({ voucherId }) => voucherId)
    const changed = withdrawn.length > 0 ? await updateVouchersWithdrawn(tx, siteId, withdrawn) : 0
    if (changed > 0) await moveSiteDay(tx, siteId, ctx.today(ctx.clock.now()), { revoked: changed })
    await updateWithdrawalsSettled(tx, siteId, [
      ...revoked.map(({ id }) => ({ id, outcome: 'revoked' as const })),
      ...ended.map(({ id }) => ({ id, outcome: 'ended' as const })),
      ...nameless.map(({ id }) => ({ id, outcome: 'failed' as const, failure: 'no_id' as const })),
    ])
  })
}
