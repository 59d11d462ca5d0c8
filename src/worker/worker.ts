import type { Database } from '#db/database.ts'
import type { BatchKey } from '#domain/batches/batch.ts'
import { runBatch } from '#domain/batches/run-batch.ts'
import { type DeliverContext, deliver } from '#domain/notifications/deliver.ts'
import type { DeliveryJob } from '#domain/notifications/enqueue-deliveries.ts'
import { deleteSettledCreations } from '#domain/vouchers/creations.queries.ts'
import { type SettleContext, settleCreations } from '#domain/vouchers/settle-creations.ts'
import { type SyncContext, syncSite } from '#domain/vouchers/sync-site.ts'
import type { WithdrawJob } from '#domain/withdrawals/enqueue-withdrawals.ts'
import { type WithdrawContext, withdrawDue } from '#domain/withdrawals/withdraw-due.ts'
import { deleteOldWithdrawals } from '#domain/withdrawals/withdrawals.queries.ts'
import { deleteClosedWindows } from '#limits/postgres-counter.ts'
import type { Queue } from '#queue/queue.ts'
import { notificationSweeps } from './notification-sweeps.ts'
import { scheduleBatches } from './schedule-batches.ts'
import { scheduleSyncs } from './schedule-syncs.ts'
import { scheduleWithdrawals } from './schedule-withdrawals.ts'
import { type SweepLog, startSweeps, untilNoneIsLeft } from './sweeps.ts'

const minuteMs = 60_000
/** A receiver that hangs holds four for 15 s each; the others go on with the rest. */
const attempts = { atOnce: 12, perGroupHere: 4 }
const syncs = { atOnce: 6, perGroup: 2 }
const batches = { atOnce: 4, perGroup: 1 }
/** At check-out time many sites are due at once, and some of their controllers may hang. */
const withdrawals = { atOnce: 12, perGroup: 2 }

export type WorkerContext = SyncContext &
  SettleContext &
  DeliverContext &
  WithdrawContext & { db: Database; queue: Queue; log: SweepLog }

/** The work that no request waits for. Any number of these may run beside each other. */
export async function startWorker(ctx: WorkerContext): Promise<{ stop(): Promise<void> }> {
  await ctx.queue.work<DeliveryJob>('attempt', attempts, (job) => deliver(ctx, job))
  await ctx.queue.work<{ siteId: number }>('sync', syncs, ({ siteId }) => syncSite(ctx, siteId))
  await ctx.queue.work<BatchKey>('batch', batches, (batch) => runBatch(ctx, batch))
  await ctx.queue.work<WithdrawJob>('withdraw', withdrawals, ({ siteId }) => withdrawDue(ctx, siteId))
  return startSweeps(
    [
      { name: 'unsettled creations', everyMs: 2_000, run: () => settleCreations(ctx) },
      { name: 'batches with work left', everyMs: 2_000, run: () => scheduleBatches(ctx) },
      { name: 'sites due for sync', everyMs: 5_000, run: () => scheduleSyncs(ctx) },
      { name: 'vouchers to withdraw', everyMs: 2_000, run: () => scheduleWithdrawals(ctx) },
      {
        name: 'settled creations',
        everyMs: minuteMs,
        run: () => untilNoneIsLeft(() => deleteSettledCreations(ctx.db)),
      },
      {
        name: 'old withdrawals',
        everyMs: 60 * minuteMs,
        run: () => untilNoneIsLeft(() => deleteOldWithdrawals(ctx.db)),
      },
      { name: 'closed limiter windows', everyMs: 5 * minuteMs, run: () => deleteClosedWindows(ctx.db) },
      ...notificationSweeps(ctx),
    ],
    ctx.log,
  )
}
