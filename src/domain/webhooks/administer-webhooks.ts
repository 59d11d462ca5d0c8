import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import { encrypt, type Keyring } from '#lib/cipher.ts'
import { type Actor, requireAllSites, service } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { defaultEvents, type EventType, type Language } from './event-types.ts'
import { formats } from './formats.ts'
import { hostIdOf } from './host-id.ts'
import { addWebhookSites, checkWebhookCounts, lockOwnWebhook, withoutSecrets } from './own-webhook.ts'
import { makeWebhookSecret, secretPlace } from './webhook-secret.ts'
import {
  insertWebhook,
  lockWebhookCounts,
  updateWebhookDisabled,
  updateWebhookEnabled,
  updateWebhookRemoved,
  type Webhook,
  type WebhookRef,
} from './webhooks.queries.ts'

export type WebhookRequest = {
  name: string
  format: string
  /** The result of `receiverUrl`. Its address is checked again before each attempt. */
  url: string
  /** Undefined: all sites, including later ones. */
  siteIds: number[] | undefined
  /** The result of `readEventTypes`. Undefined: only `voucher.created`. */
  events?: EventType[] | undefined
  /** Undefined: German. */
  language?: Language | undefined
}

/** Returns the signing secret, which cannot be read again later. Chat formats have none: their URL is the secret. */
export function addWebhook(
  { db, keyring }: { db: Database; keyring: Keyring },
  actor: Actor,
  request: WebhookRequest,
): Promise<Webhook & { secret: string | null }> {
  return db.transaction((tx) => addWebhookIn(tx, keyring, actor, request))
}

export async function addWebhookIn(
  tx: Queryable,
  keyring: Keyring,
  actor: Actor,
  request: WebhookRequest,
): Promise<Webhook & { secret: string | null }> {
  const { format, url, siteIds, events = defaultEvents, language = 'de' } = request
  if (siteIds === undefined) requireAllSites(actor)
  const name = plainName(request.name)
  const id = uuidv7()
  const secret = formats[format]?.signed ? makeWebhookSecret() : null
  await lockWebhookCounts(tx)
  const webhook = await insertWebhook(tx, {
    id,
    name,
    format,
    url: encrypt(keyring, secretPlace(id, 'url'), url),
    hostId: hostIdOf(keyring, url),
    secret: secret && encrypt(keyring, secretPlace(id, 'secret'), secret),
    allSites: siteIds === undefined,
    events,
    language,
  })
  if (!webhook) throw new DomainError('webhook_name_taken', { details: { name } })
  const found = siteIds ? await addWebhookSites(tx, actor, id, siteIds) : []
  await checkWebhookCounts(tx, { siteIds: found, allSites: siteIds === undefined })
  await recordAudit(tx, actor, {
    action: 'webhook.added',
    targetKind: 'webhook',
    targetId: id,
    details: { name, format, siteIds: siteIds ?? 'all', events, language },
  })
  return { ...webhook, siteIds: found, secret }
}

/** The webhook and its log are gone for everybody at once. The worker deletes the rows later. */
export async function removeWebhook(db: Database, actor: Actor, ref: WebhookRef): Promise<{ removed: string }> {
  return db.transaction(async (tx) => {
    const { id, name } = await lockOwnWebhook(tx, actor, ref)
    await updateWebhookRemoved(tx, id, `removed ${randomUUID()}`) // with the id, others could take the name before
    await recordAudit(tx, actor, { action: 'webhook.removed', targetKind: 'webhook', targetId: id, details: { name } })
    return { removed: name }
  })
}

/** Resumes the deliveries that are still pending. Deliveries that failed meanwhile need a replay. */
export async function enableWebhook(db: Database, actor: Actor, ref: WebhookRef): Promise<Webhook> {
  return db.transaction(async (tx) => {
    const before = await lockOwnWebhook(tx, actor, ref)
    if (await updateWebhookEnabled(tx, before.id)) {
      const details = { name: before.name, wasDisabled: before.disabledReason }
      await recordAudit(tx, actor, { action: 'webhook.enabled', targetKind: 'webhook', targetId: before.id, details })
      return { ...withoutSecrets(before), disabledAt: null, disabledReason: null, failingSince: null }
    }
    return withoutSecrets(before)
  })
}

/** Why the service disables a webhook. The texts are stored. */
export const disabledReasons = {
  gone: 'the receiver answered 410 Gone',
  failing: 'every attempt failed for five days',
}

/** Disables a webhook on behalf of the service. Returns undefined when it was disabled already. */
export async function disableWebhook(
  tx: Queryable,
  id: string,
  reason: string,
): Promise<{ name: string; reason: string } | undefined> {
  const name = await updateWebhookDisabled(tx, id, reason)
  if (name === undefined) return undefined
  const details = { name, reason }
  await recordAudit(tx, service, { action: 'webhook.disabled', targetKind: 'webhook', targetId: id, details })
  return details
}
