import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'

export type DeliveryJob = { deliveryId: string; turn: number }

/** `isSlow`: the last attempt to its webhook took long. */
export type DeliveryToSend = { id: string; webhookId: string; turn: number; isSlow: boolean; nextAttemptAt?: Date }

/** Makes their jobs true with the transaction. One that has its job already gets no second; returns how many had none. */
export async function enqueueDeliveries(tx: Queryable, queue: Queue, deliveries: DeliveryToSend[]): Promise<number> {
  const { slow = [], fast = [] } = Object.groupBy(deliveries, ({ isSlow }) => (isSlow ? 'slow' : 'fast'))
  let enqueued = 0
  if (fast.length > 0) enqueued += await queue.enqueue(tx, 'attempt', fast.map(toJob))
  if (slow.length > 0) enqueued += await queue.enqueue(tx, 'attempt_slow', slow.map(toJob))
  return enqueued
}

function toJob({ id, webhookId, turn, nextAttemptAt }: DeliveryToSend) {
  return {
    data: { deliveryId: id, turn } satisfies DeliveryJob,
    onlyOne: `${id} ${turn}`,
    group: webhookId,
    startAfter: nextAttemptAt,
  }
}
