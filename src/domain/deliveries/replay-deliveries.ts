import type { Database } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { findOwnWebhook } from '../webhooks/own-webhook.ts'
import type { WebhookRef } from '../webhooks/webhooks.queries.ts'
import { type ReplayChoice, updateDeliveriesReplayed } from './deliveries.queries.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'

const deliveriesPerTransaction = 1_000

/**
 * Sends deliveries again with the same webhook-id, whether they arrived or failed. Each delivery gets all its attempts
 * again. Each transaction has its own audit entry, so after an interruption the command can be run again for the rest.
 * `isCut`: `atMost` was reached, so more may be left.
 */
export async function replayDeliveries(
  { db, queue }: { db: Database; queue: Queue },
  actor: Actor,
  ref: WebhookRef,
  choice: ReplayChoice,
  atMost = Number.POSITIVE_INFINITY,
): Promise<{ replayed: number; isCut: boolean }> {
  const webhook = await findOwnWebhook(db, actor, ref)
  const { name } = webhook
  if (webhook.disabledAt)
    throw new DomainError('webhook_disabled', { details: { name, reason: webhook.disabledReason ?? '' } })
  let replayed = 0
  let last: { id: string; createdAt: Date } | undefined
  do {
    const page = { after: last, limit: Math.min(deliveriesPerTransaction, atMost - replayed) }
    const deliveries = await db.transaction(async (tx) => {
      const chosen = await updateDeliveriesReplayed(tx, webhook.id, choice, page)
      if (chosen.length === 0) return chosen
      await enqueueDeliveries(tx, queue, chosen)
      const details = { name, ...choice, count: chosen.length }
      await recordAudit(tx, actor, { action: 'webhook.replayed', targetKind: 'webhook', targetId: webhook.id, details })
      return chosen
    })
    replayed += deliveries.length
    last = deliveries.length < page.limit ? undefined : deliveries.at(-1)
  } while (last && replayed < atMost)
  if ('delivery' in choice && replayed === 0)
    throw new DomainError('delivery_not_found', { details: { name, id: choice.delivery } })
  return { replayed, isCut: !('delivery' in choice) && replayed >= atMost }
}
