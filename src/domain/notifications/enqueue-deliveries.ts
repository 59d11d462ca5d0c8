import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'

export type DeliveryJob = { deliveryId: string; turn: number }

/** Makes their jobs true with the transaction. One that has its job already gets no second; returns how many had none. */
export async function enqueueDeliveries(
  tx: Queryable,
  queue: Queue,
  deliveries: { id: string; webhookId: string; turn: number; nextAttemptAt?: Date }[],
): Promise<number> {
  if (deliveries.length === 0) return 0
  const jobs = deliveries.map(({ id, webhookId, turn, nextAttemptAt }) => ({
    data: { deliveryId: id, turn } satisfies DeliveryJob,
    onlyOne: `${id} ${turn}`,
    group: webhookId,
    startAfter: nextAttemptAt,
  }))
  return queue.enqueue(tx, 'attempt', jobs)
}
