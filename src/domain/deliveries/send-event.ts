import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { DecryptionFailed, decrypt, type Keyring } from '#lib/cipher.ts'
import type { Clock } from '#lib/clock.ts'
import { DomainError } from '../errors.ts'
import type { Language } from '../webhooks/event-types.ts'
import { formats } from '../webhooks/formats.ts'
import type { Notification } from '../webhooks/notification.ts'
import { secretPlace, signatureHeaders } from '../webhooks/webhook-secret.ts'
import { findWebhook, type WebhookSecrets } from '../webhooks/webhooks.queries.ts'
import type { Answer, Receivers } from './receivers.ts'

/** A webhook as it is stored: URL and secrets are encrypted. */
export type Target = WebhookSecrets & { webhookId: string; format: string; language: Language }

export type SendContext = { keyring: Keyring; receivers: Receivers; clock: Clock }

/** Makes one attempt to send an event. Errors of the receiver are part of the answer, not thrown. */
export async function sendEvent(
  { keyring, receivers, clock }: SendContext,
  target: Target,
  eventId: string,
  event: Notification,
): Promise<Answer> {
  const format = formats[target.format]
  if (!format) return noAnswer(`unknown format ${target.format}`)
  try {
    const { url, secrets } = decryptTarget(keyring, target)
    const body = JSON.stringify(format.body(event, target.language))
    const signed = format.signed && secrets.length > 0 ? signatureHeaders(secrets, eventId, clock.now(), body) : {}
    const headers = { 'content-type': 'application/json', 'user-agent': 'voucher-service', ...signed }
    return await receivers.post(url, headers, body)
  } catch (error) {
    if (error instanceof DecryptionFailed) return noAnswer('its URL or secret cannot be decrypted')
    throw error
  }
}

function decryptTarget(keyring: Keyring, { webhookId, url, secret, previousSecret }: Target) {
  const decryptColumn = (column: 'url' | 'secret' | 'previous_secret', value: string) =>
    decrypt(keyring, secretPlace(webhookId, column), value)
  const secrets: string[] = []
  if (secret !== null) secrets.push(decryptColumn('secret', secret))
  if (previousSecret !== null) secrets.push(decryptColumn('previous_secret', previousSecret))
  return { url: decryptColumn('url', url), secrets }
}

function noAnswer(error: string): Answer {
  return { status: null, error, reply: null, retryAfterMs: null }
}

/** A 2xx counts only when it is complete: a proxy may send its beginning although the receiver behind it is gone. */
export function wasAccepted({ status, error }: Answer): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

/** Sends a test notification at once, without a retry, and returns the receiver's answer. */
export async function testWebhook(
  ctx: SendContext & { db: Queryable },
  name: string,
): Promise<{ arrived: boolean; status: number | null; error: string | null; ms: number }> {
  const webhook = await findWebhook(ctx.db, name)
  if (!webhook) throw new DomainError('webhook_not_found', { details: { name } })
  const startedMs = performance.now()
  const data = { site_id: 0, site: 'Test', source: 'Test: voucher-service', vouchers: [] }
  const event: Notification = { type: 'webhook.test', createdAt: ctx.clock.now(), data }
  const answer = await sendEvent(ctx, { ...webhook, webhookId: webhook.id }, uuidv7(), event)
  const { status, error } = answer
  return { arrived: wasAccepted(answer), status, error, ms: Math.round(performance.now() - startedMs) }
}
