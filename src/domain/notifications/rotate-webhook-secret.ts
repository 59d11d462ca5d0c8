import type { Database } from '#db/database.ts'
import { type Keyring, open, seal } from '#lib/cipher.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { noSuchWebhook } from './no-such-webhook.ts'
import { makeWebhookSecret } from './signature.ts'
import { findWebhookSecret, updateWebhookSecret } from './webhooks.queries.ts'

export type Rotation = { name: string; secret: string; previousSecretUntil: Date }

/** The new secret is returned here and never again. For a day both sign, so the receiver may change it when it likes. */
export async function rotateWebhookSecret(db: Database, keyring: Keyring, name: string): Promise<Rotation> {
  return db.transaction(async (tx) => {
    const webhook = await findWebhookSecret(tx, name)
    if (!webhook) throw noSuchWebhook(name)
    if (webhook.secret === null) throw new CommandRefused(`"${name}" signs nothing: only the generic format does.`)
    const place = (column: string) => ({ table: 'webhooks', column, row: webhook.id })
    const secret = makeWebhookSecret()
    const previousSecretUntil = await updateWebhookSecret(tx, webhook.id, {
      secret: seal(keyring, place('secret'), secret),
      previousSecret: seal(keyring, place('previous_secret'), open(keyring, place('secret'), webhook.secret)),
    })
    const details = { name, previousSecretUntil }
    await recordAudit(tx, { action: 'webhook.rotated', targetKind: 'webhook', targetId: webhook.id, details })
    return { name, secret, previousSecretUntil }
  })
}
