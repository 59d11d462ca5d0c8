import type { Database } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { rejectIfHeld } from '../hold.queries.ts'
import { findSiteOnController } from '../sites/sites.queries.ts'
import type { Batch } from './batch.ts'
import { lockBatch } from './batch-lock.queries.ts'
import { updateRowsCancelled, updateRowsRetried } from './batch-rows.queries.ts'
import { lockBatchesOf, updateBatchCancelled, updateBatchReopened } from './batches.queries.ts'
import { enqueueBatch, rejectTooManyBatches } from './create-batch.ts'
import { finishBatch } from './finish-batch.ts'

type ChangeContext = { db: Database; queue: Queue }

/**
 * Cancels the rows that wait. Vouchers that were made stay, and calls under way come to their end. Without such a call, the
 * batch ends at once: it needs neither its controller nor a worker.
 */
export async function cancelBatch(ctx: ChangeContext, batch: Batch): Promise<void> {
  const site = await findSiteOnController(ctx.db, batch.siteId)
  await ctx.db.transaction(async (tx) => {
    await lockBatch(tx, batch)
    await updateBatchCancelled(tx, batch)
    await updateRowsCancelled(tx, batch)
    if (site) await finishBatch(tx, ctx.queue, batch, site)
  })
}

/** Retries the rows that failed or were cancelled, and no others. A batch that had ended counts again as an open one. */
export async function retryBatch(ctx: ChangeContext, batch: Batch): Promise<void> {
  const site = await findSiteOnController(ctx.db, batch.siteId)
  await ctx.db.transaction(async (tx) => {
    await rejectIfHeld(tx)
    await lockBatchesOf(tx, batch.maker)
    await lockBatch(tx, batch)
    if ((await updateRowsRetried(tx, batch)) === 0) return
    const { wasFinished } = await updateBatchReopened(tx, batch)
    if (wasFinished) await rejectTooManyBatches(tx, batch.maker)
    if (site) await enqueueBatch(tx, ctx.queue, { ...batch, controllerId: site.controllerId })
  })
}
