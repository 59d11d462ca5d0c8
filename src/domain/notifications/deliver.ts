import type { Database } from '#db/database.ts'
import { reachPoint } from '#lib/points.ts'
import {
  type Attempt,
  type DueDelivery,
  findDueDelivery,
  insertArrival,
  updateDeliveryFailed,
} from './deliveries.queries.ts'
import { type DeliveryJob, enqueueDeliveries } from './enqueue-deliveries.ts'
import { type FailureContext, recordFailure } from './record-failure.ts'
import { hasArrived, type SendContext, send } from './send.ts'
import { updateWebhookSlow, updateWebhookWell } from './webhook-health.queries.ts'

export type DeliverContext = SendContext & FailureContext

/** From here on a receiver is slow: its deliveries get a lane of their own. */
const slowMs = 3_000

/** Sends one delivery once and notes how it went. A further attempt is a job of its own, made with that note. */
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
  const answer = await send(ctx, due, due.eventId, due)
  const attempt = { ...answer, startedAt, durationMs: Math.round(performance.now() - startedMs) }
  reachPoint('before ack')
  const isSlow = attempt.durationMs >= slowMs
  if (isSlow !== due.isSlow) await updateWebhookSlow(ctx.db, due.webhookId, isSlow)
  if (hasArrived(answer)) await recordArrival(ctx.db, due, attempt)
  else await recordFailure(ctx, due, attempt)
}

async function recordArrival(db: Database, due: DueDelivery, attempt: Attempt): Promise<void> {
  if (!due.failing) return insertArrival(db, due, attempt)
  await db.transaction(async (tx) => {
    await updateWebhookWell(tx, due.webhookId)
    await insertArrival(tx, due, attempt)
  })
}
