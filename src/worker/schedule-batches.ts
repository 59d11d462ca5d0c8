import type { Database } from '#db/database.ts'
import { takeDueBatches } from '#domain/batches/batches.queries.ts'
import { enqueueBatches } from '#domain/batches/enqueue-batches.ts'
import type { Queue } from '#queue/queue.ts'

const atOnce = 100

/** Makes a job of every batch that has something to do. */
export async function scheduleBatches({ db, queue }: { db: Database; queue: Queue }): Promise<number> {
  return db.transaction(async (tx) => {
    const due = await takeDueBatches(tx, atOnce)
    await enqueueBatches(tx, queue, due)
    return due.length
  })
}
