import type { Queryable } from '#db/database.ts'
import { recordServiceAudit } from '../audit/record-audit.ts'
import { updateWebhookDisabled } from './webhook-health.queries.ts'

/** By the service itself. Undefined when it was disabled already. */
export async function disableWebhook(
  tx: Queryable,
  id: string,
  reason: string,
): Promise<{ name: string; reason: string } | undefined> {
  const name = await updateWebhookDisabled(tx, id, reason)
  if (name === undefined) return undefined
  await recordServiceAudit(tx, {
    action: 'webhook.disabled',
    targetKind: 'webhook',
    targetId: id,
    details: { name, reason },
  })
  return { name, reason }
}
