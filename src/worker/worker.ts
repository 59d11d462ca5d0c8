import { type DueBatch, listDueBatches } from '#domain/batches/batches.queries.ts'
import { runBatchAlone } from '#domain/batches/run-batch.ts'
import { takeDueProbes } from '#domain/controllers/outages.queries.ts'
import { probeOutage } from '#domain/controllers/outages.ts'
import { type DeliverContext, deliver } from '#domain/notifications/deliver.ts'
import type { DeliveryJob } from '#domain/notifications/enqueue-deliveries.ts'
import { deleteSettledCreations } from '#domain/vouchers/creations.queries.ts'
import { type SettleContext, takeUnsettled } from '#domain/vouchers/settle-creations.ts'
import { type SyncContext, syncSite } from '#domain/vouchers/sync-site.ts'
import { listSitesWithDueWithdrawals } from '#domain/withdrawals/due-withdrawals.queries.ts'
import type { WithdrawJob } from '#domain/withdrawals/enqueue-withdrawals.ts'
import { type WithdrawContext, withdrawDue } from '#domain/withdrawals/withdraw-due.ts'
import { deleteOldWithdrawals } from '#domain/withdrawals/withdrawals.queries.ts'
import { deleteClosedWindows } from '#limits/postgres-counter.ts'
import { createLane, type Lane } from './lane.ts'
import { notificationSweeps } from './notification-sweeps.ts'
import { scheduleSyncs } from './schedule-syncs.ts'
import { type SweepLog, startSweeps, untilNoneIsLeft } from './sweeps.ts'

const minuteMs = 60_000
/** A receiver that begins to hang occupies four places for 15 s. After that its deliveries go to the queue for slow ones. */
const attempts = { atOnce: 20, perGroupHere: 4 }
const slowAttempts = { atOnce: 4, perGroupHere: 1 }
const syncs = { atOnce: 12, perGroup: 2 }
/** A controller that hangs only occupies places here, until it is known to be out of reach. */
const settlingAtOnce = 200
const withdrawingAtOnce = 100
/** At most one batch per controller runs at a time. */
const batchesAtOnce = 100
/** Jobs that only start due work before the next sweep. */
const hints = { atOnce: 2 }
/** A probe of a controller that hangs takes 3 s. */
const probesAtOnce = 8

export type WorkerContext = SyncContext & SettleContext & DeliverContext & WithdrawContext & { log: SweepLog }

/** The work that no request waits for. Any number of these may run beside each other. */
export async function startWorker(ctx: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const settling = createLane('settling', settlingAtOnce, ctx.log)
  const withdrawing = createLane('withdrawing', withdrawingAtOnce, ctx.log)
  const batching = createLane('batches', batchesAtOnce, ctx.log)
  const probing = createLane('probing', probesAtOnce, ctx.log)
  const runBatch = (batch: DueBatch) =>
    batching.start(batch.controllerId, (stopping) => runBatchesOf(ctx, batch, stopping))
  const withdraw = (siteId: number) =>
    withdrawing.start(String(siteId), (stopping) => withdrawDue(ctx, siteId, stopping))

  await ctx.queue.work<DeliveryJob>('attempt', attempts, (job) => deliver(ctx, job))
  await ctx.queue.work<DeliveryJob>('attempt_slow', slowAttempts, (job) => deliver(ctx, job, { inSlowLane: true }))
  await ctx.queue.work<{ siteId: number }>('sync', syncs, ({ siteId }) => syncSite(ctx, siteId))
  const startBatches = async (onlyOf?: string) =>
    (await listDueBatches(ctx.db, 2 * batchesAtOnce, onlyOf)).filter(runBatch).length
  await ctx.queue.work<DueBatch>('batch', hints, async ({ controllerId }) => void (await startBatches(controllerId)))
  await ctx.queue.work<WithdrawJob>('withdraw', hints, async ({ siteId }) => void withdraw(siteId))
  const sweeps = startSweeps(
    [
      { name: 'unsettled creations', everyMs: 2_000, run: () => settleIn(settling, ctx) },
      {
        name: 'batches with work left',
        everyMs: 2_000,
        run: () => startBatches(),
      },
      { name: 'sites due for sync', everyMs: 5_000, run: () => scheduleSyncs(ctx) },
      {
        name: 'vouchers to withdraw',
        everyMs: 2_000,
        run: async () => (await listSitesWithDueWithdrawals(ctx.db)).filter(withdraw).length,
      },
      { name: 'controllers out of reach', everyMs: 1_000, run: () => probeIn(probing, ctx) },
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
  return {
    async stop() {
      await sweeps.stop()
      await Promise.all([settling, withdrawing, batching, probing].map((lane) => lane.stop()))
    },
  }
}

/** Runs the first batch, then the other due batches of its controller, one after the other. */
async function runBatchesOf(ctx: WorkerContext, first: DueBatch, stopping: AbortSignal): Promise<void> {
  const ran = new Set<string>()
  for (let next: DueBatch | undefined = first; next && !ran.has(next.id) && !stopping.aborted; ) {
    ran.add(next.id)
    await runBatchAlone(ctx, next, stopping)
    next = (await listDueBatches(ctx.db, 1, first.controllerId))[0]
  }
}

/** Returns 0, because each creation logs its own end. */
async function settleIn(lane: Lane, ctx: SettleContext): Promise<number> {
  if (lane.free() === 0) return 0
  for (const { id, settle } of await takeUnsettled(ctx, lane.free())) lane.start(id, settle)
  return 0
}

async function probeIn(lane: Lane, ctx: SettleContext): Promise<number> {
  if (lane.free() === 0) return 0
  for (const site of await takeDueProbes(ctx.db, lane.free()))
    lane.start(site.controllerId, () => probeOutage(ctx, site))
  return 0
}
