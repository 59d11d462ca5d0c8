import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import type { BatchKey } from './batch.ts'
import type { DueBatch } from './batches.queries.ts'

/** A batch has one job at a time. */
export async function enqueueBatches(tx: Queryable, queue: Queue, batches: DueBatch[]): Promise<void> {
  const jobs = batches.map(({ siteId, id, controllerId }) => ({
    data: { siteId, id } satisfies BatchKey,
    onlyOne: id,
    group: controllerId,
  }))
  if (jobs.length > 0) await queue.enqueue(tx, 'batch', jobs)
}
