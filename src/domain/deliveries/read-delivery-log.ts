import type { Queryable } from '#db/database.ts'
import { DomainError } from '../errors.ts'
import { findWebhook } from '../webhooks/webhooks.queries.ts'
import {
  type LogChoice,
  type LoggedAttempt,
  type LoggedDelivery,
  listAttempts,
  listDeliveries,
} from './delivery-log.queries.ts'

/** The deliveries of the named webhook, newest first. */
export async function readDeliveries(db: Queryable, name: string, choice: LogChoice): Promise<LoggedDelivery[]> {
  return listDeliveries(db, await findWebhookId(db, name), choice)
}

/** All attempts of the deliveries that `readDeliveries` returns for the same choice. */
export async function readAttempts(db: Queryable, name: string, choice: LogChoice): Promise<LoggedAttempt[]> {
  return listAttempts(db, await findWebhookId(db, name), choice)
}

async function findWebhookId(db: Queryable, name: string): Promise<string> {
  const webhook = await findWebhook(db, name)
  if (!webhook) throw new DomainError('webhook_not_found', { details: { name } })
  return webhook.id
}
