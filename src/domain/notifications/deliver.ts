import type { Database } from '#db/database.ts'
import {
  type Attempt,
  type DueDelivery,
  findDueDelivery,
  insertArrival,
  updateDeliveryFailed,
} from './deliveries.queries.ts'
import type { DeliveryJob } from './enqueue-deliveries.ts'
import { type FailureContext, recordFailure } from './record-failure.ts'
import { hasArrived, type SendContext, send } from './send.ts'
import { updateWebhookWell } from './webhook-health.queries.ts'

export type DeliverContext = SendContext & FailureContext

/** Sends one delivery once and notes how it went. A further attempt is a job of its own, made with that note. */
export async function deliver(ctx: DeliverContext, { deliveryId, turn }: DeliveryJob): Promise<void> {
  const due = await findDueDelivery(ctx.db, deliveryId, turn)
  if (!due) return
  if (due.disabled) return updateDeliveryFailed(ctx.db, due.id)
  const startedAt = new Date()
  const answer = await send(ctx, due, due.eventId, due)
  const attempt = { ...answer, startedAt, durationMs: Date.now() - startedAt.getTime() }
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
