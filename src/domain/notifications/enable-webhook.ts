import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { noSuchWebhook } from './no-such-webhook.ts'
import { updateWebhookEnabled } from './webhook-health.queries.ts'
import { findWebhook, type Webhook } from './webhooks.queries.ts'

/** What was not delivered and not given up meanwhile goes on; what was given up waits for a replay. */
export async function enableWebhook(db: Database, name: string): Promise<Webhook> {
  return db.transaction(async (tx) => {
    const before = await findWebhook(tx, name)
    if (!before) throw noSuchWebhook(name)
    if (await updateWebhookEnabled(tx, before.id)) {
      const details = { name, wasDisabled: before.disabledReason }
      await recordAudit(tx, { action: 'webhook.enabled', targetKind: 'webhook', targetId: before.id, details })
    }
    const { url: _, secret: __, previousSecret: ___, ...webhook } = before
    return { ...webhook, disabledAt: null, disabledReason: null, failingSince: null }
  })
}
