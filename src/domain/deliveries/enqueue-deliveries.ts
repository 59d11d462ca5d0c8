import type { Database, Queryable } from '#db/database.ts'
import type { Queue, Replacement } from '#queue/queue.ts'
import { type DeliveryToSend, listOverdueDeliveries, type OverdueDelivery } from './deliveries.queries.ts'

/**
 * `turn` is the number of the job. It changes with every attempt and replay, and a job with an earlier number does nothing.
 * `hostId` is the host whose places the job uses. It is missing in jobs of older versions.
 */
export type DeliveryJob = { deliveryId: string; turn: number; hostId?: string | null }

/**
 * Adds a job for each delivery that has none yet. The jobs become visible when the transaction commits. Returns how many
 * were added.
 */
export async function enqueueDeliveries(tx: Queryable, queue: Queue, deliveries: DeliveryToSend[]): Promise<number> {
  let enqueued = 0
  for (const [name, entries] of Map.groupBy(deliveries.map(jobOf), (entry) => entry.queue)) {
    const jobs = entries.map(({ job }) => job)
    enqueued += await queue.enqueue(tx, name, jobs)
  }
  return enqueued
}

/** The job of a delivery, and its queue. Version 0.1.0 uses the same key, so that a delivery never has two jobs in a queue. */
export function jobOf({ id, webhookId, hostId, jobNumber, isSlow, nextAttemptAt }: DeliveryToSend): Replacement {
  return {
    queue: isSlow ? 'attempt_slow' : 'attempt',
    job: {
      data: { deliveryId: id, turn: jobNumber, hostId } satisfies DeliveryJob,
      exclusiveKey: `${id} ${jobNumber}`,
      group: webhookId,
      widerGroup: hostId ?? undefined,
      startAfter: nextAttemptAt,
    },
  }
}

const deliveriesPerTransaction = 1_000

/** Adds a new job for each overdue delivery whose job was lost. Deliveries that only wait in the queue keep their job. */
export async function requeueOverdue(
  { db, queue }: { db: Database; queue: Queue },
  overdueSeconds = 60,
): Promise<number> {
  let requeued = 0
  let last: OverdueDelivery | undefined
  do {
    const overdue: OverdueDelivery[] = await listOverdueDeliveries(db, overdueSeconds, last, deliveriesPerTransaction)
    const dueNow = overdue.map(({ nextAttemptAt: _, ...delivery }) => delivery)
    requeued += await db.transaction((tx) => enqueueDeliveries(tx, queue, dueNow))
    last = overdue.length < deliveriesPerTransaction ? undefined : overdue.at(-1)
  } while (last)
  return requeued
}
