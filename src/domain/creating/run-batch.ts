import { randomUUID } from 'node:crypto'
import type { Queryable } from '#db/database.ts'
import { patienceSeconds } from '../batches/batch.ts'
import { lockBatch } from '../batches/batch-lock.queries.ts'
import { updateRowsCancelled, updateRowsFailed } from '../batches/batch-rows.queries.ts'
import {
  clearStalled,
  findBatch,
  noteStalled,
  postponeBatch,
  postponeBatchesOfMaker,
  renewBatchRunning,
  updateBatchReleased,
  updateBatchRunning,
} from '../batches/batches.queries.ts'
import { finishBatch } from '../batches/finish-batch.ts'
import { updateRowsFromCreations, updateRowsWithoutCreation } from '../batches/rows-to-make.queries.ts'
import type { SiteItem } from '../public-id.ts'
import { endLeases } from '../record/creations.queries.ts'
import { findSiteOnController } from '../sites/sites.queries.ts'
import type { CreateContext } from './create-voucher.ts'
import { makeNextRows } from './make-next-rows.ts'

/** Much shorter than the lease. */
const renewEveryMs = 3_000
/** After this time the next batch of the controller gets a turn. A call that is under way ends first. */
const defaultTurnMs = 5_000
/** The pause before looking again for the outcome of sent rows, or for a free slot. */
const soonSeconds = 2

type Turn = { stopping: AbortSignal; ms: number }

/**
 * Gives a batch its turn, unless another worker runs it. Returns true if the turn ended before the batch. The lease of a process
 * that died ends by itself. The due batches of the same maker go behind those of all other makers twice: before the turn, so that
 * another worker meanwhile takes a batch of another maker, and after the turn, so that a batch that another maker opened meanwhile
 * comes first.
 */
export async function runBatchAlone(
  ctx: CreateContext,
  key: SiteItem,
  stopping: AbortSignal,
  turnMs = defaultTurnMs,
): Promise<boolean> {
  const runId = randomUUID()
  if (!(await updateBatchRunning(ctx.db, key, runId))) return false
  const renewing = setInterval(() => void renewBatchRunning(ctx.db, key, runId).catch(() => {}), renewEveryMs)
  try {
    await postponeBatchesOfMaker(ctx.db, key)
    return await runBatch(ctx, key, { stopping, ms: turnMs })
  } finally {
    clearInterval(renewing)
    await updateBatchReleased(ctx.db, key, runId)
    await postponeBatchesOfMaker(ctx.db, key)
  }
}

/**
 * Makes the remaining vouchers of a batch. A turn has at least one call. Returns true if the turn ended before the batch. It can run
 * any number of times, even after a run that died in the middle.
 */
export async function runBatch(ctx: CreateContext, key: SiteItem, turn?: Turn): Promise<boolean> {
  const startedAt = performance.now()
  let calls = 0
  const turnHasEnded = () =>
    turn !== undefined && (turn.stopping.aborted || (calls > 0 && performance.now() - startedAt >= turn.ms))
  await endLeases(ctx.db, key)
  await withLock(ctx, key, (tx) => updateRowsWithoutCreation(tx, key))
  let isPaused = false // after a pause was scheduled, the loop runs once more: the batch may have been cancelled during the call
  for (;;) {
    await withLock(ctx, key, (tx) => updateRowsFromCreations(tx, key))
    const batch = await findBatch(ctx.db, key)
    const site = await findSiteOnController(ctx.db, key.siteId)
    if (!batch || batch.finishedAt || !site) return false
    // No more rows are sent until the outcome of the sent rows is known, however long that takes.
    if (batch.rows.sent > 0) {
      await noteStalled(ctx.db, key)
      await postponeBatch(ctx.db, key, soonSeconds)
      return false
    }
    // Some rows still wait: their call was under way during the cancellation and made nothing.
    if (batch.cancelledAt && batch.rows.waiting > 0) {
      await withLock(ctx, key, (tx) => updateRowsCancelled(tx, key))
      continue
    }
    if (batch.rows.waiting === 0) {
      await withLock(ctx, key, (tx) => finishBatch(tx, ctx.queue, batch, site))
      return false
    }
    if (isPaused) return false
    if (batch.isHeld) {
      await postponeBatch(ctx.db, key, soonSeconds)
      return false
    }
    if (batch.stoppedBy) {
      await updateRowsFailed(ctx.db, key, batch.stoppedBy)
      continue
    }
    if (turnHasEnded()) {
      await postponeBatch(ctx.db, key, 0)
      return true
    }
    const outcome = await makeNextRows(ctx, batch, site)
    calls++
    if (outcome === 'busy') await postponeBatch(ctx.db, key, soonSeconds)
    if (outcome === 'stalled') await postponeStalled(ctx, key)
    if (outcome === 'made') await clearStalled(ctx.db, key)
    isPaused = outcome === 'busy' || outcome === 'stalled'
  }
}

async function withLock(ctx: CreateContext, key: SiteItem, work: (tx: Queryable) => Promise<void>): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockBatch(tx, key)
    await work(tx)
  })
}

/** Waits longer after each attempt. The remaining rows fail when the controller could not create vouchers for too long. */
async function postponeStalled(ctx: CreateContext, key: SiteItem): Promise<void> {
  const seconds = await noteStalled(ctx.db, key)
  if (seconds > patienceSeconds) await updateRowsFailed(ctx.db, key, 'unreachable')
  await postponeBatch(ctx.db, key, seconds > patienceSeconds ? 0 : Math.min(60, Math.max(2, seconds / 4)))
}
