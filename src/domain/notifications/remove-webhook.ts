import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { noSuchWebhook } from './no-such-webhook.ts'
import { deleteWebhook } from './webhooks.queries.ts'

export async function removeWebhook(db: Database, name: string): Promise<{ removed: string }> {
  return db.transaction(async (tx) => {
    const id = await deleteWebhook(tx, name)
    if (!id) throw noSuchWebhook(name)
    await recordAudit(tx, { action: 'webhook.removed', targetKind: 'webhook', targetId: id, details: { name } })
    return { removed: name }
  })
}
