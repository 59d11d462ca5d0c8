import type { Database } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import {
  type Attempt,
  type DueDelivery,
  insertFailure,
  updateDeliveryFailed,
  updateDeliveryPostponed,
} from './deliveries.queries.ts'
import { disableWebhook } from './disable-webhook.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'
import { pauseAfter } from './ladder.ts'
import type { Answer } from './receivers.ts'
import { updateWebhookFailing } from './webhook-health.queries.ts'

export type FailureContext = {
  db: Database
  queue: Queue
  /** Of the pauses between attempts; 1 but in tests. */
  retryScale: number
  log: { warn(fields: object, message: string): void }
}

/** One commit: the attempt and what follows from it, which is another attempt, the end of this delivery or of its webhook. */
export async function recordFailure(ctx: FailureContext, due: DueDelivery, attempt: Attempt & Answer): Promise<void> {
  const disabled = await ctx.db.transaction(async (tx) => {
    const failing = await updateWebhookFailing(tx, due.webhookId)
    const failures = await insertFailure(tx, due, attempt)
    if (!failing || failures === undefined) return undefined
    const hopeless = reasonToDisable(attempt, failing)
    const pauseMs = hopeless ? undefined : pauseAfter(failures, { scale: ctx.retryScale, askedMs: askedMs(attempt) })
    if (pauseMs === undefined) {
      await updateDeliveryFailed(tx, due.id)
      return hopeless && disableWebhook(tx, due.webhookId, hopeless)
    }
    await enqueueDeliveries(tx, ctx.queue, [await updateDeliveryPostponed(tx, due.id, pauseMs)])
    return undefined
  })
  if (disabled) ctx.log.warn({ webhook: disabled.name, reason: disabled.reason }, 'a webhook was disabled')
}

function reasonToDisable({ status }: Answer, { forLong }: { forLong: boolean }): string | undefined {
  if (status === 410) return 'the receiver answered 410 Gone'
  return forLong ? 'every attempt failed for five days' : undefined
}

function askedMs({ status, retryAfterMs }: Answer): number | null {
  return status === 429 || status === 503 ? retryAfterMs : null
}
