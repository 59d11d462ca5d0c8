import type { Database } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { notifyCreated } from '../notifications/notify-created.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { lockBatch } from '../vouchers/wake-batches.queries.ts'
import type { Batch } from './batch.ts'
import { takeUntoldVouchers } from './batch-rows.queries.ts'
import { updateBatchFinished } from './batches.queries.ts'
import { updateRowsFromCreations } from './rows-to-make.queries.ts'

/** One notification for all that were made, with their real count, in the commit that ends the batch. */
export async function finishBatch(
  ctx: { db: Database; queue: Queue },
  batch: Batch,
  site: SiteOnController,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockBatch(tx, batch)
    await updateRowsFromCreations(tx, batch) // nothing more can be recorded unnoticed
    if (!(await updateBatchFinished(tx, batch))) return
    const voucherIds = await takeUntoldVouchers(tx, batch)
    if (voucherIds.length === 0) return
    await notifyCreated(tx, ctx.queue, { site, source: batch.sourceName, voucherIds, batchId: batch.id })
  })
}
