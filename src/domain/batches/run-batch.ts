import { randomUUID } from 'node:crypto'
import { findSiteOnController } from '../sites/sites.queries.ts'
import { lockBatch } from '../vouchers/wake-batches.queries.ts'
import type { BatchContext, BatchKey } from './batch.ts'
import { moveRows, updateRowsFailed } from './batch-rows.queries.ts'
import {
  findBatch,
  noteGoesOn,
  noteHeldUp,
  postponeBatch,
  renewBatchRunning,
  updateBatchReleased,
  updateBatchRunning,
} from './batches.queries.ts'
import { finishBatch } from './finish-batch.ts'
import { makeNextRows } from './make-next-rows.ts'
import { endLeases, updateRowsFromCreations } from './rows-to-make.queries.ts'

/** Well within the lease. */
const renewEveryMs = 3_000
/** Another run goes on where this one stops. */
const maxRunMs = 120_000
/** How long a controller may let nothing through before the rest counts as failed. */
const patienceSeconds = 600
/** How soon to look again what became of those that were sent, or for a free slot. */
const soonSeconds = 2

/** Runs a batch unless another worker runs it. The lease of a process that died ends by itself. */
export async function runBatchAlone(ctx: BatchContext, key: BatchKey, stopping: AbortSignal): Promise<void> {
  const runId = randomUUID()
  if (!(await updateBatchRunning(ctx.db, key, runId))) return
  const renewing = setInterval(() => void renewBatchRunning(ctx.db, key, runId).catch(() => {}), renewEveryMs)
  try {
    await runBatch(ctx, key, stopping)
  } finally {
    clearInterval(renewing)
    await updateBatchReleased(ctx.db, key, runId)
  }
}

/** Makes the remaining vouchers of a batch. It can run any number of times, even after a run that died in the middle. */
export async function runBatch(ctx: BatchContext, key: BatchKey, stopping?: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  await endLeases(ctx.db, key)
  for (;;) {
    await ctx.db.transaction(async (tx) => {
      await lockBatch(tx, key)
      await updateRowsFromCreations(tx, key)
    })
    const batch = await findBatch(ctx.db, key)
    const site = await findSiteOnController(ctx.db, key.siteId)
    if (!batch || batch.finishedAt || !site) return
    if (batch.rows.sent > 0) return waitForSettling(ctx, key)
    // A call that was under way when it was cancelled, and made nothing, left some waiting.
    if (batch.cancelledAt && (await moveRows(ctx.db, key, 'waiting', 'cancelled')) > 0) continue
    if (batch.rows.waiting === 0) return finishBatch(ctx, batch, site)
    if (batch.stoppedBy) {
      await updateRowsFailed(ctx.db, key, batch.stoppedBy)
      continue
    }
    if (stopping?.aborted || performance.now() - startedAt > maxRunMs) return postponeBatch(ctx.db, key, 0)
    const outcome = await makeNextRows(ctx, batch, site)
    if (outcome === 'busy') return postponeBatch(ctx.db, key, soonSeconds)
    if (outcome === 'held up') return holdUp(ctx, key)
    if (outcome === 'made') await noteGoesOn(ctx.db, key)
  }
}

/** As long as it takes: until it is known what became of them, nothing more may be asked for. */
async function waitForSettling(ctx: BatchContext, key: BatchKey): Promise<void> {
  await noteHeldUp(ctx.db, key)
  await postponeBatch(ctx.db, key, soonSeconds)
}

/** Longer from try to try, and not for ever. */
async function holdUp(ctx: BatchContext, key: BatchKey): Promise<void> {
  const seconds = await noteHeldUp(ctx.db, key)
  if (seconds > patienceSeconds) await updateRowsFailed(ctx.db, key, 'unreachable')
  await postponeBatch(ctx.db, key, seconds > patienceSeconds ? 0 : Math.min(60, Math.max(2, seconds / 4)))
}
