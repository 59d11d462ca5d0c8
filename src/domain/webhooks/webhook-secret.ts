import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '#db/database.ts'
import { decrypt, encrypt, type Keyring, type Place } from '#lib/cipher.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { lockOwnWebhook } from './own-webhook.ts'
import { updateWebhookSecret, type WebhookRef } from './webhooks.queries.ts'

const prefix = 'whsec_'

/** A signing secret in the notation of Standard Webhooks. */
export function makeWebhookSecret(): string {
  return prefix + randomBytes(24).toString('base64')
}

/** The place that an encrypted value of a webhook is bound to. */
export function secretPlace(webhookId: string, column: 'url' | 'secret' | 'previous_secret'): Place {
  return { table: 'webhooks', column, row: webhookId }
}

/**
 * Returns the new secret, which cannot be read again later. The previous secrets sign too for 24 hours, so the receiver
 * can switch at any time within the day. Secrets that sign already stay: if an answer was lost, nobody has its secret, and the
 * receiver still uses an older one.
 */
export async function rotateWebhookSecret(
  { db, keyring }: { db: Database; keyring: Keyring },
  actor: Actor,
  ref: WebhookRef,
): Promise<{ name: string; secret: string; previousSecretUntil: Date }> {
  return db.transaction(async (tx) => {
    const { id, name, secret: stored, previousSecrets: older } = await lockOwnWebhook(tx, actor, ref)
    if (stored === null) throw new DomainError('webhook_unsigned', { details: { name } })
    const secret = makeWebhookSecret()
    const replaced = decrypt(keyring, secretPlace(id, 'secret'), stored)
    const [oldest, ...others] = [...decryptPrevious(keyring, id, older), replaced]
    const previousSecrets = [oldest, ...others.slice(-2)].join(' ')
    const previousSecretUntil = await updateWebhookSecret(tx, id, {
      secret: encrypt(keyring, secretPlace(id, 'secret'), secret),
      previousSecrets: encrypt(keyring, secretPlace(id, 'previous_secret'), previousSecrets),
    })
    const details = { name, previousSecretUntil }
    await recordAudit(tx, actor, { action: 'webhook.rotated', targetKind: 'webhook', targetId: id, details })
    return { name, secret, previousSecretUntil }
  })
}

/** The secrets before the present one that still sign, oldest first. At most three are kept. */
export function decryptPrevious(keyring: Keyring, webhookId: string, stored: string | null): string[] {
  return stored === null ? [] : decrypt(keyring, secretPlace(webhookId, 'previous_secret'), stored).split(' ')
}

/**
 * The three headers of Standard Webhooks, with one signature per secret. The id is the same in every attempt, so a
 * receiver recognizes a repeat. The timestamp is the time of this attempt: receivers reject old timestamps.
 */
export function signatureHeaders(secrets: string[], id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
