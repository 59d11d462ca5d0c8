import type { Database } from '#db/database.ts'
import { reachPoint } from '#lib/points.ts'
import { updateWebhookHealthy, updateWebhookSlow } from '../webhooks/webhooks.queries.ts'
import {
  type Attempt,
  type DueDelivery,
  findDueDelivery,
  insertArrival,
  updateDeliveryFailed,
} from './deliveries.queries.ts'
import { wasAccepted } from './failure-kind.ts'
import { type DeliveryJob, enqueueDeliveries } from './notify-webhooks.ts'
import { type FailureContext, recordFailure } from './record-failure.ts'
import { type SendContext, sendEvent } from './send-event.ts'

export type DeliverContext = SendContext & FailureContext

/** A webhook whose last attempt took at least this long is slow: its deliveries use a separate queue. */
const slowMs = 3_000

/** Makes one attempt to send a delivery and records the result. A retry is a new job, added together with that record. */
export async function deliver(
  ctx: DeliverContext,
  { deliveryId, turn }: DeliveryJob,
  { inSlowLane = false } = {},
): Promise<void> {
  const due = await findDueDelivery(ctx.db, deliveryId, turn)
  if (!due) return
  if (due.disabled) return updateDeliveryFailed(ctx.db, due.id)
  // The webhook became slow or fast meanwhile. Only its current lane sends; otherwise a delivery with two jobs is sent twice.
  if (due.isSlow !== inSlowLane) return void (await enqueueDeliveries(ctx.db, ctx.queue, [due]))
  const startedAt = ctx.clock.now()
  const startedMs = performance.now()
  const answer = await sendEvent(ctx, due, due.eventId, due)
  const attempt = { ...answer, startedAt, durationMs: Math.round(performance.now() - startedMs) }
  reachPoint('before ack')
  const isSlow = attempt.durationMs >= slowMs
  if (isSlow !== due.isSlow) await updateWebhookSlow(ctx.db, due.webhookId, isSlow)
  if (wasAccepted(answer)) await recordArrival(ctx.db, due, attempt)
  else await recordFailure(ctx, due, attempt)
}

async function recordArrival(db: Database, due: DueDelivery, attempt: Attempt): Promise<void> {
  if (!due.failing) return insertArrival(db, due, attempt)
  await db.transaction(async (tx) => {
    await updateWebhookHealthy(tx, due.webhookId)
    await insertArrival(tx, due, attempt)
  })
}
