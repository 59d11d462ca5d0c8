import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { noSuchWebhook } from './no-such-webhook.ts'
import type { Notification } from './notification.ts'
import { hasArrived, type SendContext, send } from './send.ts'
import { findWebhook } from './webhooks.queries.ts'

/** Sends one notification at once that says it is a test, and tells how the receiver answered. */
export async function testWebhook(
  ctx: SendContext & { db: Queryable },
  name: string,
): Promise<{ arrived: boolean; status: number | null; error: string | null; ms: number }> {
  const webhook = await findWebhook(ctx.db, name)
  if (!webhook) throw noSuchWebhook(name)
  const begin = performance.now()
  const data = { count: 0, site_id: 0, site: 'Test', source: 'Test: voucher-service', voucher_ids: [] }
  const event: Notification = { type: 'webhook.test', createdAt: ctx.clock.now(), data }
  const answer = await send(ctx, { ...webhook, webhookId: webhook.id }, uuidv7(), event)
  const { status, error } = answer
  return { arrived: hasArrived(answer), status, error, ms: Math.round(performance.now() - begin) }
}
