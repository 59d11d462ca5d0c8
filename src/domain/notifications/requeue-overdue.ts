import type { Database } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { listOverdueDeliveries, type OverdueDelivery } from './deliveries.queries.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'

const piece = 1_000

/** A delivery whose job was lost, whatever became of it, gets another. Those that only wait have theirs and get none. */
export async function requeueOverdue({ db, queue }: { db: Database; queue: Queue }): Promise<number> {
  let requeued = 0
  let last: OverdueDelivery | undefined
  do {
    const overdue: OverdueDelivery[] = await listOverdueDeliveries(db, last, piece)
    const jobs = overdue.map(({ nextAttemptAt: _, ...delivery }) => delivery) // at once
    requeued += await db.transaction((tx) => enqueueDeliveries(tx, queue, jobs))
    last = overdue.length < piece ? undefined : overdue.at(-1)
  } while (last)
  return requeued
}
