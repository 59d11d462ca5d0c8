import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'
import { insertEventWithDeliveries } from './events.queries.ts'

/** Enqueues the notification in the transaction that recorded the vouchers: neither is true without the other. */
export async function notifyCreated(
  tx: Queryable,
  queue: Queue,
  created: { site: { id: number; name: string }; source: string; voucherIds: string[]; batchId?: string },
): Promise<void> {
  const { site, source, voucherIds, batchId } = created
  const deliveries = await insertEventWithDeliveries(tx, {
    id: uuidv7(),
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
  await enqueueDeliveries(tx, queue, deliveries)
}
