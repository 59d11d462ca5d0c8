import type { Database } from '#db/database.ts'
import type { BatchKey } from './batch.ts'
import { moveRows } from './batch-rows.queries.ts'
import { updateBatchCancelled } from './batches.queries.ts'

/** What waits is not made any more; what was made stays, and what is under way comes to its end. */
export async function cancelBatch(db: Database, batch: BatchKey): Promise<void> {
  await db.transaction(async (tx) => {
    await updateBatchCancelled(tx, batch)
    await moveRows(tx, batch, 'waiting', 'cancelled')
  })
}
