import type { Database } from '#db/database.ts'
import { tryToDecrypt } from '#lib/cipher.ts'
import { reachPoint } from '#lib/points.ts'
import type { Replacement } from '#queue/queue.ts'
import { hostIdOf } from '../webhooks/host-id.ts'
import { secretPlace } from '../webhooks/webhook-secret.ts'
import { updateWebhookHealthy, updateWebhookHost, updateWebhookSlow } from '../webhooks/webhooks.queries.ts'
import {
  type Attempt,
  type DueDelivery,
  findDueDelivery,
  insertArrival,
  updateDeliveryFailed,
} from './deliveries.queries.ts'
import { type DeliveryJob, jobOf } from './enqueue-deliveries.ts'
import { wasAccepted } from './failure-kind.ts'
import { type FailureContext, recordFailure } from './record-failure.ts'
import { type SendContext, sendEvent } from './send-event.ts'

export type DeliverContext = SendContext & FailureContext

/** A webhook whose last attempt took at least this long is slow: its deliveries use a separate queue. A new webhook counts as slow too. */
const slowMs = 3_000

/**
 * Makes one attempt to send a delivery and records the result. A retry is a new job, added together with that record. Returns
 * another job, which replaces this one, if this one has the wrong queue or host.
 */
export async function deliver(
  ctx: DeliverContext,
  job: DeliveryJob,
  { inSlowLane = false } = {},
): Promise<Replacement | undefined> {
  const due = await findDueDelivery(ctx.db, job.deliveryId, job.turn)
  if (!due) return undefined
  if (due.isForbidden) {
    await updateDeliveryFailed(ctx.db, due.id)
    return undefined
  }
  const hostId = await correctHost(ctx, due)
  // The webhook became slow or fast, or got another host. Only a job of its current lane and host sends; otherwise a delivery
  // with two jobs is sent twice, and a host that hangs gets more places than its share.
  const isCurrent = due.isSlow === inSlowLane && hostId === (job.hostId ?? null)
  if (!isCurrent) return jobOf({ ...due, hostId })
  const startedAt = ctx.clock.now()
  const startedMs = performance.now()
  const answer = await sendEvent(ctx, due, due.eventId, due)
  const attempt = { ...answer, startedAt, durationMs: Math.round(performance.now() - startedMs) }
  reachPoint('before ack')
  const isSlow = attempt.durationMs >= slowMs
  if (isSlow !== due.isSlow) await updateWebhookSlow(ctx.db, due.webhookId, isSlow)
  if (wasAccepted(answer)) await recordArrival(ctx.db, due, attempt)
  else await recordFailure(ctx, due, attempt)
  return undefined
}

/** Returns the id of the webhook's host. Stores it if an older version of the service wrote the address. */
async function correctHost({ db, keyring }: DeliverContext, due: DueDelivery): Promise<string | null> {
  const url = tryToDecrypt(keyring, secretPlace(due.webhookId, 'url'), due.url)
  if (url === undefined) return due.hostId // the attempt will record why
  const hostId = hostIdOf(keyring, url, due.hostId)
  if (hostId !== due.hostId) await updateWebhookHost(db, due.webhookId, due.url, hostId)
  return hostId
}

async function recordArrival(db: Database, due: DueDelivery, attempt: Attempt): Promise<void> {
  if (!due.failing) return insertArrival(db, due, attempt)
  await db.transaction(async (tx) => {
    await updateWebhookHealthy(tx, due.webhookId)
    await insertArrival(tx, due, attempt)
  })
}
