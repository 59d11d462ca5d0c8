import type { Queryable } from '#db/database.ts'
import {
  type LogChoice,
  type LoggedAttempt,
  type LoggedDelivery,
  listAttempts,
  listDeliveries,
} from './delivery-log.queries.ts'
import { noSuchWebhook } from './no-such-webhook.ts'
import { findWebhook } from './webhooks.queries.ts'

export async function readDeliveries(db: Queryable, name: string, choice: LogChoice): Promise<LoggedDelivery[]> {
  return listDeliveries(db, await idOf(db, name), choice)
}

export async function readAttempts(db: Queryable, name: string, choice: LogChoice): Promise<LoggedAttempt[]> {
  return listAttempts(db, await idOf(db, name), choice)
}

async function idOf(db: Queryable, name: string): Promise<string> {
  const webhook = await findWebhook(db, name)
  if (!webhook) throw noSuchWebhook(name)
  return webhook.id
}
