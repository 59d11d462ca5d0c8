import type { Queryable } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { findSeenWebhook } from '../webhooks/own-webhook.ts'
import type { WebhookRef } from '../webhooks/webhooks.queries.ts'
import {
  countUnsettled,
  type LogChoice,
  type LoggedAttempt,
  type LoggedDelivery,
  listAttempts,
  listDeliveries,
} from './delivery-log.queries.ts'

/** The deliveries of a webhook, newest first. */
export async function readDeliveries(
  db: Queryable,
  actor: Actor,
  ref: WebhookRef,
  choice: LogChoice,
): Promise<LoggedDelivery[]> {
  return listDeliveries(db, (await findSeenWebhook(db, actor, ref)).id, choice)
}

/** All attempts of the deliveries that `readDeliveries` returns for the same choice. */
export async function readAttempts(
  db: Queryable,
  actor: Actor,
  ref: WebhookRef,
  choice: LogChoice,
): Promise<LoggedAttempt[]> {
  const deliveries = await readDeliveries(db, actor, ref, choice)
  return listAttempts(db, idsOf(deliveries), 2_147_483_647)
}

export type DeliveryWithAttempts = LoggedDelivery & { log: LoggedAttempt[] }

const attemptsShown = 30

/** A page of deliveries with their attempts, and the counts of failed and waiting deliveries in the same period. */
export async function readDeliveryPage(
  db: Queryable,
  actor: Actor,
  ref: WebhookRef,
  choice: LogChoice,
): Promise<{ deliveries: DeliveryWithAttempts[]; failed: number; pending: number }> {
  const webhook = await findSeenWebhook(db, actor, ref)
  const [found, counts] = await Promise.all([
    listDeliveries(db, webhook.id, choice),
    countUnsettled(db, webhook, choice.since),
  ])
  const attempts = Map.groupBy(await listAttempts(db, idsOf(found), attemptsShown), ({ delivery }) => delivery)
  return { deliveries: found.map((delivery) => ({ ...delivery, log: attempts.get(delivery.id) ?? [] })), ...counts }
}

function idsOf(deliveries: LoggedDelivery[]): string[] {
  return deliveries.map(({ id }) => id)
}
