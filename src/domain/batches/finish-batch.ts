import type { Queryable } from '#db/database.ts'
import { reachPoint } from '#lib/points.ts'
import type { Queue } from '#queue/queue.ts'
import { sourceName } from '../actor.ts'
import { notifyBatchFinished, notifyCreated } from '../deliveries/notify-webhooks.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import type { Batch } from './batch.ts'
import { takeUnnotifiedVouchers } from './batch-rows.queries.ts'
import { findBatch, updateBatchFinished } from './batches.queries.ts'
import { updateRowsFromCreations } from './rows-to-make.queries.ts'

/**
 * Ends a batch without waiting and sent rows, and enqueues its notifications in the same commit: one for all its vouchers,
 * and one for its end. Does nothing if such rows are left. The caller holds the lock of the batch, so no outcome can be
 * recorded meanwhile.
 */
export async function finishBatch(tx: Queryable, queue: Queue, batch: Batch, site: SiteOnController): Promise<void> {
  await updateRowsFromCreations(tx, batch)
  if (!(await updateBatchFinished(tx, batch))) return
  const source = sourceName(batch.maker)
  const vouchers = await takeUnnotifiedVouchers(tx, batch)
  if (vouchers.length > 0) await notifyCreated(tx, queue, { site, source, vouchers, batchId: batch.id })
  const finished = (await findBatch(tx, batch)) ?? batch // its reference may have been erased since `batch` was read
  await notifyBatchFinished(tx, queue, { site, source, batch: finished, rows: finished.rows })
  reachPoint('before event commit')
}
