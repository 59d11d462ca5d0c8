import type { Database } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { findSiteOnController } from '../sites/sites.queries.ts'
import { lockBatch } from '../vouchers/wake-batches.queries.ts'
import type { BatchKey } from './batch.ts'
import { moveRows } from './batch-rows.queries.ts'
import { updateBatchReopened } from './batches.queries.ts'
import { enqueueBatches } from './enqueue-batches.ts'

/** Asks again for the rows that failed, and for no others. */
export async function retryBatch(ctx: { db: Database; queue: Queue }, batch: BatchKey): Promise<void> {
  const site = await findSiteOnController(ctx.db, batch.siteId)
  await ctx.db.transaction(async (tx) => {
    await lockBatch(tx, batch)
    if ((await moveRows(tx, batch, 'failed', 'waiting')) === 0) return
    await updateBatchReopened(tx, batch)
    if (site) await enqueueBatches(tx, ctx.queue, [{ ...batch, controllerId: site.controllerId }])
  })
}
