import type { Database } from '#db/database.ts'
import type { Log } from '#lib/log.ts'
import type { Queue } from '#queue/queue.ts'
import { disabledReasons, disableWebhook } from '../webhooks/administer-webhooks.ts'
import { updateWebhookFailing } from '../webhooks/webhooks.queries.ts'
import {
  type Attempt,
  type DueDelivery,
  insertFailure,
  updateDeliveryFailed,
  updateDeliveryPostponed,
} from './deliveries.queries.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'
import type { Answer } from './receivers.ts'

export type FailureContext = {
  db: Database
  queue: Queue
  /** Multiplies the pauses between attempts. 1 except in tests. */
  retryScale: number
  log: Log
}

/**
 * Records a failed attempt and its consequence in one transaction. Either another attempt follows, or the delivery
 * ends, or the delivery ends and its webhook is disabled.
 */
export async function recordFailure(ctx: FailureContext, due: DueDelivery, attempt: Attempt & Answer): Promise<void> {
  const disabled = await ctx.db.transaction(async (tx) => {
    const failing = await updateWebhookFailing(tx, due.webhookId)
    const failures = await insertFailure(tx, due, attempt)
    if (!failing || failures === undefined) return undefined
    const reason = reasonToDisable(attempt, failing)
    const options = { scale: ctx.retryScale, askedMs: askedPauseMs(attempt) }
    const pauseMs = reason ? undefined : pauseAfter(failures, options)
    if (pauseMs === undefined) {
      await updateDeliveryFailed(tx, due.id)
      return reason && disableWebhook(tx, due.webhookId, reason)
    }
    await enqueueDeliveries(tx, ctx.queue, [await updateDeliveryPostponed(tx, due.id, pauseMs)])
    return undefined
  })
  if (disabled) ctx.log.warn({ webhook: disabled.name, reason: disabled.reason }, 'a webhook was disabled')
}

function reasonToDisable({ status }: Answer, { forLong }: { forLong: boolean }): string | undefined {
  if (status === 410) return disabledReasons.gone
  return forLong ? disabledReasons.failing : undefined
}

/** `Retry-After` counts only with the two statuses that mean "too busy". */
function askedPauseMs({ status, retryAfterMs }: Answer): number | null {
  return status === 429 || status === 503 ? retryAfterMs : null
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** A little over three days in all. The first pauses are short because most failures are short. */
const pausesMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]

/** The attempts of a delivery before it is given up. A replay begins again. */
export const maxAttempts = pausesMs.length + 1

/**
 * The pause before the next attempt, spread by 20 percent. Undefined when the delivery has failed too often to go on. A
 * receiver can ask for a longer pause but not for a shorter one; otherwise a busy receiver would use up all attempts.
 */
export function pauseAfter(
  failures: number,
  { scale, askedMs, random = Math.random }: { scale: number; askedMs: number | null; random?: () => number },
): number | undefined {
  const pause = pausesMs[failures - 1]
  return pause === undefined ? undefined : Math.max(pause * scale * (0.8 + 0.4 * random()), askedMs ?? 0)
}
