import type { Database } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'
import { noSuchWebhook } from './no-such-webhook.ts'
import { type ReplayChoice, updateDeliveriesReplayed } from './replay.queries.ts'
import { findWebhook } from './webhooks.queries.ts'

const piece = 1_000

/**
 * Sends again what was sent or given up, with the same webhook-id, from the first rung of the ladder. Piece by piece, each
 * with its entry in the audit: a command that was interrupted may be run again for what is left.
 */
export async function replayDeliveries(
  { db, queue }: { db: Database; queue: Queue },
  name: string,
  choice: ReplayChoice,
): Promise<{ replayed: number }> {
  const webhook = await findWebhook(db, name)
  if (!webhook) throw noSuchWebhook(name)
  if (webhook.disabledAt)
    throw new CommandRefused(`"${name}" is disabled (${webhook.disabledReason}). Enable it first.`)
  let replayed = 0
  let last: { id: string; createdAt: Date } | undefined
  do {
    const after = last
    const deliveries = await db.transaction(async (tx) => {
      const chosen = await updateDeliveriesReplayed(tx, webhook.id, choice, { after, limit: piece })
      if (chosen.length === 0) return chosen
      await enqueueDeliveries(tx, queue, chosen)
      const details = { name, ...choice, count: chosen.length }
      await recordAudit(tx, { action: 'webhook.replayed', targetKind: 'webhook', targetId: webhook.id, details })
      return chosen
    })
    replayed += deliveries.length
    last = deliveries.length < piece ? undefined : deliveries.at(-1)
  } while (last)
  if ('delivery' in choice && replayed === 0)
    throw new CommandRefused(`No delivery to "${name}" has the id ${choice.delivery}.`)
  return { replayed }
}
