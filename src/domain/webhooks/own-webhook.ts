import type { Queryable } from '#db/database.ts'
import { type Actor, limitingActorId, requireAllSites } from '../actor.ts'
import { DomainError } from '../errors.ts'
import {
  countWebhooksOfAllSites,
  findOverfullSite,
  findWebhook,
  insertWebhookSites,
  listSimilarWebhooks,
  lockWebhook,
  type StoredWebhook,
  type Webhook,
  type WebhookRef,
} from './webhooks.queries.ts'

/** A webhook that the actor may see: the actor may use all its sites. */
export async function findSeenWebhook(db: Queryable, actor: Actor, ref: WebhookRef): Promise<StoredWebhook> {
  const webhook = await findWebhook(db, ref, limitingActorId(actor))
  if (!webhook) throw await webhookNotFound(db, ref)
  return webhook
}

/** A webhook that the actor may use and change. A webhook for all sites or for none needs an actor for all sites. */
export async function findOwnWebhook(db: Queryable, actor: Actor, ref: WebhookRef): Promise<StoredWebhook> {
  const webhook = await findSeenWebhook(db, actor, ref)
  if (webhook.allSites || webhook.siteIds.length === 0) requireAllSites(actor)
  return webhook
}

/** Like `findOwnWebhook`. Changes of one webhook run one after another. */
export async function lockOwnWebhook(tx: Queryable, actor: Actor, ref: WebhookRef): Promise<StoredWebhook> {
  await lockWebhook(tx, ref)
  return findOwnWebhook(tx, actor, ref)
}

/** The error for a webhook that does not exist or that the actor may not see, with similar names for people. */
async function webhookNotFound(db: Queryable, ref: WebhookRef): Promise<DomainError> {
  const name = typeof ref === 'string' ? ref : ref.id
  const similar = typeof ref === 'string' ? await listSimilarWebhooks(db, ref) : []
  return new DomainError('webhook_not_found', { details: { name, similar: similar.join(', ') } })
}

/** Adds sites to a webhook. Rejects sites that do not exist or that the actor may not use. Returns their ids in order. */
export async function addWebhookSites(tx: Queryable, actor: Actor, id: string, siteIds: number[]): Promise<number[]> {
  const found = await insertWebhookSites(tx, id, siteIds, limitingActorId(actor))
  const missing = siteIds.filter((siteId) => !found.includes(siteId))
  if (missing.length > 0) throw new DomainError('site_not_found', { details: { ids: missing.join(', ') } })
  return found.sort((a, b) => a - b)
}

/** Each event of a site goes to all its webhooks. Without a limit, one caller could fill the queue of deliveries. */
const maxWebhooks = 20

/**
 * Rejects a webhook for which one of its new sites, or all sites, has no room. Runs after the webhook was added there, in a
 * transaction that began with `lockWebhookCounts`. Sites that had more webhooks before there was a limit keep them.
 */
export async function checkWebhookCounts(
  tx: Queryable,
  added: { siteIds: number[]; allSites: boolean },
): Promise<void> {
  const max = maxWebhooks
  const site = await findOverfullSite(tx, added.siteIds, max)
  if (site !== undefined) throw new DomainError('webhooks_of_site_too_many', { details: { max, site } })
  if (added.allSites && (await countWebhooksOfAllSites(tx)) > max)
    throw new DomainError('webhooks_of_all_sites_too_many', { details: { max } })
}

export function withoutSecrets(stored: StoredWebhook): Webhook {
  const { url: _, secret: __, previousSecrets: ___, hasLostSites: ____, ...webhook } = stored
  return webhook
}
