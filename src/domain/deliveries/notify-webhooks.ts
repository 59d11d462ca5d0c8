import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { type DeliveryToSend, listOverdueDeliveries, type OverdueDelivery } from './deliveries.queries.ts'
import { insertEventWithDeliveries, type NewEvent } from './events.queries.ts'

/**
 * Notifies the webhooks of a site about new vouchers. Runs in the transaction that records the vouchers, so there is
 * never one without the other.
 */
export async function notifyCreated(
  tx: Queryable,
  queue: Queue,
  created: { site: { id: number; name: string }; source: string; voucherIds: string[]; batchId?: string },
): Promise<void> {
  const { site, source, voucherIds, batchId } = created
  await notifyWebhooks(tx, queue, {
    type: 'voucher.created',
    siteId: site.id,
    data: {
      count: voucherIds.length,
      site_id: site.id,
      site: site.name,
      source,
      voucher_ids: voucherIds,
      ...(batchId !== undefined && { batch_id: batchId }),
    },
  })
}

/** Notifies the webhooks that report on controllers: once when an outage begins (`until` is null) and once when it ends. */
export async function notifyOutage(
  tx: Queryable,
  queue: Queue,
  outage: { controllerId: string; controller: string; since: Date; until: Date | null },
): Promise<void> {
  const { controllerId, controller, since, until } = outage
  await notifyWebhooks(tx, queue, {
    type: until === null ? 'controller.unreachable' : 'controller.reachable',
    controllerId,
    data: { controller, since: since.toISOString(), until: until?.toISOString() ?? null },
  })
}

async function notifyWebhooks(tx: Queryable, queue: Queue, event: Omit<NewEvent, 'id'>): Promise<void> {
  const deliveries = await insertEventWithDeliveries(tx, { id: uuidv7(), ...event })
  await enqueueDeliveries(tx, queue, deliveries)
}

/** `turn` changes with every attempt and replay. A job of an earlier turn does nothing. */
export type DeliveryJob = { deliveryId: string; turn: number }

/**
 * Adds a job for each delivery that has none yet. The jobs become visible when the transaction commits. Returns how many
 * were added.
 */
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

const deliveriesPerTransaction = 1_000

/** Adds a new job for each overdue delivery whose job was lost. Deliveries that only wait in the queue keep their job. */
export async function requeueOverdue({ db, queue }: { db: Database; queue: Queue }): Promise<number> {
  let requeued = 0
  let last: OverdueDelivery | undefined
  do {
    const overdue: OverdueDelivery[] = await listOverdueDeliveries(db, last, deliveriesPerTransaction)
    const dueNow = overdue.map(({ nextAttemptAt: _, ...delivery }) => delivery)
    requeued += await db.transaction((tx) => enqueueDeliveries(tx, queue, dueNow))
    last = overdue.length < deliveriesPerTransaction ? undefined : overdue.at(-1)
  } while (last)
  return requeued
}
