import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import type { EventVoucher, Fact } from '../webhooks/notification.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'
import { type ChangedVoucher, insertEventWithDeliveries, type RevokedVoucher } from './events.queries.ts'

type EventSite = { id: number; name: string }

// These functions run in the transaction that records the change, so the change and its event are committed together.

/** Notifies the webhooks of a site about new vouchers. */
export async function notifyCreated(
  tx: Queryable,
  queue: Queue,
  created: { site: EventSite; source: string; vouchers: EventVoucher[]; batchId?: string },
): Promise<void> {
  const { site, source, vouchers, batchId } = created
  const batch = batchId !== undefined && { batch_id: batchId }
  await notifyWebhooks(tx, queue, {
    type: 'voucher.created',
    siteId: site.id,
    data: { site_id: site.id, site: site.name, source, vouchers, ...batch },
  })
}

/** Vouchers that somebody used for the first time, or whose minutes ran out. Adopted vouchers are left out. */
export async function notifyChanged(
  tx: Queryable,
  queue: Queue,
  type: 'voucher.first_used' | 'voucher.expired',
  { site, changed }: { site: EventSite; changed: ChangedVoucher[] },
): Promise<void> {
  const vouchers = ours(changed)
  if (vouchers.length === 0) return
  await notifyWebhooks(tx, queue, { type, siteId: site.id, data: { site_id: site.id, site: site.name, vouchers } })
}

/** Vouchers that were revoked, with one event for each reason. Adopted vouchers and repairs are left out. */
export async function notifyRevoked(
  tx: Queryable,
  queue: Queue,
  site: EventSite,
  revoked: RevokedVoucher[],
): Promise<void> {
  for (const [reason, changed] of Map.groupBy(revoked, (voucher) => voucher.reason)) {
    const vouchers = ours(changed)
    if (reason === 'repair' || vouchers.length === 0) continue
    const data = { site_id: site.id, site: site.name, reason, vouchers }
    await notifyWebhooks(tx, queue, { type: 'voucher.revoked', siteId: site.id, data })
  }
}

function ours(changed: ChangedVoucher[]): EventVoucher[] {
  return changed.filter(({ isOurs }) => isOurs).map(({ id, reference }) => ({ id, reference }))
}

/** A batch that has ended, with the number of its rows by outcome. */
export async function notifyBatchFinished(
  tx: Queryable,
  queue: Queue,
  finished: {
    site: EventSite
    source: string
    batch: { id: string; reference: string | null }
    rows: { made: number; failed: number; cancelled: number }
  },
): Promise<void> {
  const { site, source, batch, rows } = finished
  const { made, failed, cancelled } = rows
  const counts = { made, failed, cancelled }
  await notifyWebhooks(tx, queue, {
    type: 'batch.finished',
    siteId: site.id,
    data: { site_id: site.id, site: site.name, source, batch_id: batch.id, reference: batch.reference, ...counts },
  })
}

/** Notifies webhooks once when an outage begins (`until` is null) and once when it ends. */
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

async function notifyWebhooks(
  tx: Queryable,
  queue: Queue,
  event: Fact & { siteId?: number; controllerId?: string },
): Promise<void> {
  const deliveries = await insertEventWithDeliveries(tx, { id: uuidv7(), ...event })
  await enqueueDeliveries(tx, queue, deliveries)
}
