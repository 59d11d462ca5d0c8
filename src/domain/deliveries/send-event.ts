import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { DecryptionFailed, decrypt, type Keyring } from '#lib/cipher.ts'
import type { Clock } from '#lib/clock.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Language } from '../webhooks/event-types.ts'
import { formats } from '../webhooks/formats.ts'
import type { Notification } from '../webhooks/notification.ts'
import { findOwnWebhook } from '../webhooks/own-webhook.ts'
import { decryptPrevious, secretPlace, signatureHeaders } from '../webhooks/webhook-secret.ts'
import type { WebhookRef, WebhookSecrets } from '../webhooks/webhooks.queries.ts'
import { wasAccepted } from './failure-kind.ts'
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

function decryptTarget(keyring: Keyring, { webhookId, url, secret, previousSecrets }: Target) {
  const decryptColumn = (column: 'url' | 'secret', value: string) =>
    decrypt(keyring, secretPlace(webhookId, column), value)
  const present = secret === null ? [] : [decryptColumn('secret', secret)]
  return {
    url: decryptColumn('url', url),
    secrets: [...present, ...decryptPrevious(keyring, webhookId, previousSecrets)],
  }
}

function noAnswer(error: string): Answer {
  return { status: null, error, reply: null, retryAfterMs: null }
}

/** Sends a test notification at once, without a retry, and returns the receiver's answer. Also works while disabled. */
export async function testWebhook(
  ctx: SendContext & { db: Queryable },
  actor: Actor,
  ref: WebhookRef,
): Promise<{ arrived: boolean; status: number | null; error: string | null; ms: number; reply: string | null }> {
  const webhook = await findOwnWebhook(ctx.db, actor, ref)
  const startedMs = performance.now()
  const data = { site_id: 0, site: 'Test', source: 'Test: voucher-service', vouchers: [] }
  const event: Notification = { type: 'webhook.test', createdAt: ctx.clock.now(), data }
  const answer = await sendEvent(ctx, { ...webhook, webhookId: webhook.id }, uuidv7(), event)
  const ms = Math.round(performance.now() - startedMs)
  const { name, id: targetId } = webhook
  const details = { name, status: answer.status }
  await recordAudit(ctx.db, actor, { action: 'webhook.tested', targetKind: 'webhook', targetId, details })
  const { status, error, reply } = answer
  return { arrived: wasAccepted(answer), status, error, ms, reply: firstLine(reply) }
}

const maxLineLength = 300

/** The first line of an answer that is not empty; null if there is none. Pages for browsers can be one long line. */
export function firstLine(reply: string | null): string | null {
  const [line = ''] = (reply ?? '').trimStart().split(/\r?\n/)
  if (line === '') return null
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line
}
