import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { deleteWebhook } from './webhooks.queries.ts'

export async function removeWebhook(db: Database, name: string): Promise<{ removed: string }> {
  return db.transaction(async (tx) => {
    const id = await deleteWebhook(tx, name)
    if (!id) throw new CommandRefused(`No webhook is called "${name}".`)
    await recordAudit(tx, { action: 'webhook.removed', targetKind: 'webhook', targetId: id, details: { name } })
    return { removed: name }
  })
}
