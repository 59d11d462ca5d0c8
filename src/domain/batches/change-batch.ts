import type { Database } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { lockBatch } from '../creating/batch-lock.queries.ts'
import { rejectIfHeld } from '../holding/hold.ts'
import type { SiteItem } from '../public-id.ts'
import { findSiteOnController } from '../sites/sites.queries.ts'
import { moveRows } from './batch-rows.queries.ts'
import { updateBatchCancelled, updateBatchReopened } from './batches.queries.ts'
import { enqueueBatch } from './create-batch.ts'

/** Cancels the rows that wait. Vouchers that were made stay, and calls under way come to their end. */
export async function cancelBatch(db: Database, batch: SiteItem): Promise<void> {
  await db.transaction(async (tx) => {
    await updateBatchCancelled(tx, batch)
    await moveRows(tx, batch, ['waiting'], 'cancelled')
  })
}

/** Retries the rows that failed or were cancelled, and no others. */
export async function retryBatch(ctx: { db: Database; queue: Queue }, batch: SiteItem): Promise<void> {
  const site = await findSiteOnController(ctx.db, batch.siteId)
  await ctx.db.transaction(async (tx) => {
    await rejectIfHeld(tx)
    await lockBatch(tx, batch)
    if ((await moveRows(tx, batch, ['failed', 'cancelled'], 'waiting')) === 0) return
    await updateBatchReopened(tx, batch)
    if (site) await enqueueBatch(tx, ctx.queue, { ...batch, controllerId: site.controllerId })
  })
}
