import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import type { Outage } from '../controllers/outages.queries.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'
import { insertEventWithDeliveries } from './events.queries.ts'

/** To the webhooks that asked for it: once when an outage begins and once when it ends. The address is not told. */
export async function notifyOutage(tx: Queryable, queue: Queue, outage: Outage): Promise<void> {
  const { controllerId, controller, since, until } = outage
  const deliveries = await insertEventWithDeliveries(tx, {
    id: uuidv7(),
    type: until === null ? 'controller.unreachable' : 'controller.reachable',
    controllerId,
    data: { controller, since: since.toISOString(), until: until?.toISOString() ?? null },
  })
  await enqueueDeliveries(tx, queue, deliveries)
}
