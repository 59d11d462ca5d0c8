import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import type { DueBatch } from './batches.queries.ts'

/** The job only says that there is something to do now; otherwise the batch waits for the next sweep. */
export async function enqueueBatches(tx: Queryable, queue: Queue, batches: DueBatch[]): Promise<void> {
  const jobs = batches.map(({ siteId, id, controllerId }) => ({
    data: { siteId, id, controllerId } satisfies DueBatch,
    onlyOne: id,
  }))
  if (jobs.length > 0) await queue.enqueue(tx, 'batch', jobs)
}
