import type { Database } from '#db/database.ts'
import { encrypt, type Keyring } from '#lib/cipher.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { changed, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import type { EventType, Language } from './event-types.ts'
import { hostIdOf } from './host-id.ts'
import { addWebhookSites, checkWebhookCounts, lockOwnWebhook, withoutSecrets } from './own-webhook.ts'
import { secretPlace } from './webhook-secret.ts'
import {
  deleteWebhookSites,
  lockWebhookCounts,
  updateWebhookChoices,
  updateWebhookLostSites,
  type Webhook,
  type WebhookRef,
} from './webhooks.queries.ts'

/** Undefined fields keep their value. */
export type WebhookChange = {
  name?: string | undefined
  /** The result of `receiverUrl`. */
  url?: string | undefined
  /** The result of `readEventTypes`. Events that are stored already are still delivered. */
  events?: EventType[] | undefined
  language?: Language | undefined
  /** Null: all sites, including later ones. */
  siteIds?: number[] | null | undefined
}

/** Deliveries that wait go to the new address. Deliveries of sites that the webhook no longer has are not sent. */
export async function changeWebhook(
  { db, keyring }: { db: Database; keyring: Keyring },
  actor: Actor,
  ref: WebhookRef,
  change: WebhookChange,
): Promise<Webhook> {
  if (change.siteIds === null) requireAllSites(actor)
  return db.transaction(async (tx) => {
    if (change.siteIds !== undefined) await lockWebhookCounts(tx)
    const before = withoutSecrets(await lockOwnWebhook(tx, actor, ref))
    const { id } = before
    const { url, siteIds, events = before.events, language = before.language } = change
    const name = change.name === undefined ? before.name : plainName(change.name)
    const allSites = siteIds === undefined ? before.allSites : siteIds === null
    const isFree = await updateWebhookChoices(tx, id, {
      name,
      events,
      language,
      allSites,
      address: url === undefined ? null : { url: encrypt(keyring, secretPlace(id, 'url'), url), hostId: hostIdOf(keyring, url) }, // biome-ignore format: one line
    })
    if (!isFree) throw new DomainError('webhook_name_taken', { details: { name } })
    const after = { ...before, name, events, language, allSites, ...(url !== undefined && { failingSince: null }) }
    if (siteIds !== undefined) {
      await deleteWebhookSites(tx, id)
      after.siteIds = siteIds ? await addWebhookSites(tx, actor, id, siteIds) : []
      await checkWebhookCounts(tx, {
        siteIds: after.siteIds.filter((siteId) => !before.siteIds.includes(siteId)),
        allSites: allSites && !before.allSites,
      })
      const { siteIds: hadSites } = before // none if it was for all sites
      const keepsSites = hadSites.length > 0 && hadSites.every((siteId) => after.siteIds.includes(siteId))
      if (!allSites && !keepsSites) await updateWebhookLostSites(tx, id)
    }
    const details = { name: before.name, ...(url !== undefined && { urlReplaced: true }) }
    const entry = { action: 'webhook.changed', targetKind: 'webhook', targetId: id, details }
    await recordChange(tx, actor, entry, changed(recordedOf(before), recordedOf(after)))
    return after
  })
}

/** A webhook as the audit shows it. */
function recordedOf({ name, events, language, allSites, siteIds }: Webhook) {
  return { name, events, language, siteIds: allSites ? ('all' as const) : siteIds }
}
