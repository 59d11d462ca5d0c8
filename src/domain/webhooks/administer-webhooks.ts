import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import { encrypt, type Keyring } from '#lib/cipher.ts'
import { type Actor, service } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { formats } from './formats.ts'
import { makeWebhookSecret, secretPlace } from './webhook-secret.ts'
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  insertWebhookSites,
  updateWebhookDisabled,
  updateWebhookEnabled,
  type Webhook,
} from './webhooks.queries.ts'

export type WebhookRequest = {
  name: string
  format: string
  /** The result of `receiverUrl`. Its address is checked again before each attempt. */
  url: string
  /** Undefined: all sites, including later ones. */
  siteIds: number[] | undefined
  reportsControllers?: boolean
}

/** Returns the signing secret, which cannot be read again later. Chat formats have none: their URL is the secret. */
export async function addWebhook(
  { db, keyring }: { db: Database; keyring: Keyring },
  actor: Actor,
  request: WebhookRequest,
): Promise<Webhook & { secret: string | null }> {
  const { format, url, siteIds, reportsControllers = false } = request
  const name = plainName(request.name)
  const id = uuidv7()
  const secret = formats[format]?.signed ? makeWebhookSecret() : null
  return db.transaction(async (tx) => {
    const webhook = await insertWebhook(tx, {
      id,
      name,
      format,
      url: encrypt(keyring, secretPlace(id, 'url'), url),
      secret: secret && encrypt(keyring, secretPlace(id, 'secret'), secret),
      allSites: siteIds === undefined,
      reportsControllers,
    })
    if (!webhook) throw new DomainError('webhook_name_taken', { details: { name } })
    const found = siteIds ? await insertWebhookSites(tx, id, siteIds) : []
    const missing = (siteIds ?? []).filter((siteId) => !found.includes(siteId))
    if (missing.length > 0) throw new DomainError('site_not_found', { details: { ids: missing.join(', ') } })
    await recordAudit(tx, actor, {
      action: 'webhook.added',
      targetKind: 'webhook',
      targetId: id,
      details: { name, format, siteIds: siteIds ?? 'all', reportsControllers },
    })
    return { ...webhook, siteIds: found, secret }
  })
}

/** Also deletes the webhook's deliveries and their log. */
export async function removeWebhook(db: Database, actor: Actor, name: string): Promise<{ removed: string }> {
  return db.transaction(async (tx) => {
    const id = await deleteWebhook(tx, name)
    if (!id) throw new DomainError('webhook_not_found', { details: { name } })
    await recordAudit(tx, actor, { action: 'webhook.removed', targetKind: 'webhook', targetId: id, details: { name } })
    return { removed: name }
  })
}

/** Resumes the deliveries that are still pending. Deliveries that failed meanwhile need a replay. */
export async function enableWebhook(db: Database, actor: Actor, name: string): Promise<Webhook> {
  return db.transaction(async (tx) => {
    const before = await findWebhook(tx, name)
    if (!before) throw new DomainError('webhook_not_found', { details: { name } })
    if (await updateWebhookEnabled(tx, before.id)) {
      const details = { name, wasDisabled: before.disabledReason }
      await recordAudit(tx, actor, { action: 'webhook.enabled', targetKind: 'webhook', targetId: before.id, details })
    }
    const { url: _, secret: __, previousSecret: ___, ...webhook } = before
    return { ...webhook, disabledAt: null, disabledReason: null, failingSince: null }
  })
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
