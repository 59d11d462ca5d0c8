import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import { CommandRefused } from '../errors.ts'
import { send } from './deliver.ts'
import { findWebhook } from './webhooks.queries.ts'

/** Sends one notification at once that says it is a test, and tells how the receiver answered. */
export async function testWebhook(
  ctx: { db: Queryable; keyring: Keyring },
  name: string,
): Promise<{ arrived: boolean; status: number | null; error: string | null; ms: number }> {
  const webhook = await findWebhook(ctx.db, name)
  if (!webhook) throw new CommandRefused(`No webhook is called "${name}".`)
  const begin = performance.now()
  const data = { count: 0, site_id: 0, site: 'Test', source: 'Test: voucher-service', voucher_ids: [] }
  const event = { type: 'webhook.test', createdAt: new Date(), data }
  const { status, error } = await send(ctx.keyring, { ...webhook, webhookId: webhook.id }, uuidv7(), event)
  const arrived = status !== null && status >= 200 && status < 300
  return { arrived, status, error, ms: Math.round(performance.now() - begin) }
}
