import { type Queryable, undefinedIfTaken } from '#db/database.ts'
import { mayUseSiteSql } from '../sites/sites.queries.ts'
import type { EventType, Language } from './event-types.ts'

export type Webhook = {
  id: string
  name: string
  format: string
  allSites: boolean
  siteIds: number[]
  events: EventType[]
  language: Language
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: string | null
  createdAt: Date
}

/** All three are encrypted. */
export type WebhookSecrets = { url: string; secret: string | null; previousSecrets: string | null }

/** `hasLostSites`: the deliveries of sites that the webhook lost are not deleted yet. */
export type StoredWebhook = Webhook & WebhookSecrets & { hasLostSites: boolean }

const webhookColumns = `id, name, format, all_sites as "allSites",
  array(select site_id from webhook_sites where webhook_id = webhooks.id order by site_id) as "siteIds",
  events, language, failing_since as "failingSince", disabled_at as "disabledAt",
  disabled_reason as "disabledReason", created_at as "createdAt"`

export async function listWebhooks(db: Queryable): Promise<Webhook[]> {
  const { rows } = await db.query<Webhook>(
    `select ${webhookColumns} from webhooks where removed_at is null order by name`,
  )
  return rows
}

/** Names one webhook: commands use its name, API v2 its id. */
export type WebhookRef = string | { id: string }

/** The values for `isNamedSql`. */
function idAndName(ref: WebhookRef): [string | null, string | null] {
  return typeof ref === 'string' ? [null, ref] : [ref.id, null]
}

function isNamedSql(id: string, name: string): string {
  return `(id = ${id}::uuid or name = ${name})`
}

/**
 * SQL: the webhooks that the actor may see. They have sites, and the actor may use all of them. Null may see all
 * webhooks. Nobody sees a removed webhook.
 */
export function isVisibleSql(actorId: string): string {
  return `webhooks.removed_at is null and (${actorId}::uuid is null or (not webhooks.all_sites
    and exists (select from webhook_sites s where s.webhook_id = webhooks.id) and not exists (
    select from webhook_sites s where s.webhook_id = webhooks.id and not ${mayUseSiteSql(actorId, 's.site_id')})))`
}

/**
 * SQL: whether a webhook still has the sites of a delivery. Deliveries of sites that it lost are hidden and not sent. A sweep
 * deletes them later. A removed webhook has lost all its sites.
 */
export function hasSitesOfSql(delivery: string, webhook: string): string {
  return `(${webhook}.lost_sites_at is null or ${webhook}.all_sites or case when ${delivery}.site_ids is null
    then exists (select from events of_site join webhook_sites has on has.site_id = of_site.site_id
                  where of_site.id = ${delivery}.event_id and has.webhook_id = ${webhook}.id)
    else ${delivery}.site_ids <@ array(select site_id from webhook_sites has where has.webhook_id = ${webhook}.id) end)`
}

/** The webhooks that the actor may see, by name, page by page. */
export async function listWebhookPage(
  db: Queryable,
  options: { onlySitesOf: string | null; after: { name: string; id: string } | undefined; limit: number },
): Promise<Webhook[]> {
  const { rows } = await db.query<Webhook>(
    `select ${webhookColumns} from webhooks
      where ${isVisibleSql('$1')} and ($2::text is null or (name, id) > ($2, $3::uuid))
      order by name, id
      limit $4`,
    [options.onlySitesOf, options.after?.name ?? null, options.after?.id ?? null, options.limit],
  )
  return rows
}

/** Undefined also when the actor may not see the webhook. The previous secrets are null once they no longer sign. */
export async function findWebhook(
  db: Queryable,
  ref: WebhookRef,
  onlySitesOf: string | null,
): Promise<StoredWebhook | undefined> {
  const { rows } = await db.query<StoredWebhook>(
    `select ${webhookColumns}, url, secret,
            case when previous_secret_until > now() then previous_secret end as "previousSecrets",
            lost_sites_at is not null as "hasLostSites"
       from webhooks where ${isNamedSql('$2', '$3')} and ${isVisibleSql('$1')}`,
    [onlySitesOf, ...idAndName(ref)],
  )
  return rows[0]
}

/**
 * Waits for other changes of the webhook and for attempts that are being recorded. A later statement of the transaction reads
 * the webhook: this one would see its sites as they were before the wait.
 */
export async function lockWebhook(tx: Queryable, ref: WebhookRef): Promise<void> {
  await tx.query(`select from webhooks where ${isNamedSql('$1', '$2')} for update`, idAndName(ref))
}

export type NewWebhook = {
  id: string
  name: string
  format: string
  url: string
  hostId: string
  secret: string | null
  allSites: boolean
  events: EventType[]
  language: Language
}

/** The webhook counts as slow until its first fast answer. Undefined when the name is taken. */
export async function insertWebhook(db: Queryable, webhook: NewWebhook): Promise<Webhook | undefined> {
  const { id, name, format, url, hostId, secret, allSites, events, language } = webhook
  const { rows } = await db.query<Webhook>(
    `insert into webhooks (id, name, format, url, host_id, is_slow, secret, all_sites, events, language)
     values ($1, $2, $3, $4, $5, true, $6, $7, $8, $9)
     on conflict (name) do nothing
     returning ${webhookColumns}`,
    [id, name, format, url, hostId, secret, allSites, events, language],
  )
  return rows[0]
}

/** Returns the ids of the sites that exist and that the actor may use. The caller decides what a missing site means. */
export async function insertWebhookSites(
  db: Queryable,
  webhookId: string,
  siteIds: number[],
  onlySitesOf: string | null,
): Promise<number[]> {
  const { rows } = await db.query<{ siteId: number }>(
    `insert into webhook_sites (webhook_id, site_id)
     select $2, id from sites where id = any($3) and ${mayUseSiteSql('$1', 'sites.id')}
     returning site_id as "siteId"`,
    [onlySitesOf, webhookId, siteIds],
  )
  return rows.map((row) => row.siteId)
}

/**
 * Waits for other transactions that add webhooks to sites. Otherwise two of them could count at the same time and then both
 * add. Must be the first statement of its transaction: otherwise two transactions could deadlock, one with a name and
 * one with this lock.
 */
export async function lockWebhookCounts(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('voucher-service counts of webhooks', 0))`)
}

/** The first of these sites that has more webhooks than `max`; undefined when none has. Disabled webhooks count too. */
export async function findOverfullSite(tx: Queryable, siteIds: number[], max: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ siteId: number }>(
    `select site_id as "siteId" from webhook_sites where site_id = any($1)
      group by site_id having count(*) > $2 order by site_id limit 1`,
    [siteIds, max],
  )
  return rows[0]?.siteId
}

/** How many webhooks are for all sites. Disabled webhooks count too. */
export async function countWebhooksOfAllSites(tx: Queryable): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('select count(*)::integer as count from webhooks where all_sites')
  return rows[0]?.count ?? 0
}

/**
 * Hides a webhook until a sweep has deleted its deliveries and its row. Erases its address and secrets. `name` replaces its name,
 * which is free then.
 * Processes of version 0.1.0 do not know removed webhooks: for them, it is disabled and has no sites.
 */
export async function updateWebhookRemoved(tx: Queryable, id: string, name: string): Promise<void> {
  await tx.query(
    `update webhooks
        set removed_at = now(), lost_sites_at = now(), name = $2, url = null, host_id = null,
            secret = null, previous_secret = null, previous_secret_until = null, all_sites = false, failing_since = null,
            disabled_at = coalesce(disabled_at, now()), disabled_reason = 'removed'
      where id = $1`,
    [id, name],
  )
  await deleteWebhookSites(tx, id)
}

/** Up to three names that resemble the given one, the most similar first. */
export async function listSimilarWebhooks(db: Queryable, name: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select name from webhooks where removed_at is null and similarity(name, $1) > 0.3
      order by similarity(name, $1) desc, name limit 3`,
    [name],
  )
  return rows.map((row) => row.name)
}

/** The URL of `address` is encrypted. Null keeps the old address. */
export type WebhookChoices = Pick<Webhook, 'name' | 'events' | 'language' | 'allSites'> & {
  address: { url: string; hostId: string } | null
}

/**
 * A new address clears the time since which the webhook fails, and counts as slow until its first fast answer. False when
 * another webhook has the name.
 */
export async function updateWebhookChoices(tx: Queryable, id: string, choices: WebhookChoices): Promise<boolean> {
  const { name, events, language, allSites, address } = choices
  const updated = await tx
    .query(
      `update webhooks
          set name = $2, events = $3, language = $4, all_sites = $5, url = coalesce($6, url),
              host_id = coalesce($7, host_id), is_slow = is_slow or $6::text is not null,
              failing_since = case when $6::text is null then failing_since end
        where id = $1`,
      [id, name, events, language, allSites, address?.url ?? null, address?.hostId ?? null],
    )
    .catch(undefinedIfTaken)
  return updated !== undefined
}

export async function deleteWebhookSites(tx: Queryable, webhookId: string): Promise<void> {
  await tx.query('delete from webhook_sites where webhook_id = $1', [webhookId])
}

/**
 * Hides the deliveries of sites that the webhook no longer has. Otherwise somebody who sees the webhook because of its new sites
 * could send them to another address. They appear again if the webhook gets the site back before the sweep deletes them.
 */
export async function updateWebhookLostSites(tx: Queryable, id: string): Promise<void> {
  await tx.query('update webhooks set lost_sites_at = now() where id = $1', [id])
}

/** Returns the time until which the previous secrets sign too. */
export async function updateWebhookSecret(
  db: Queryable,
  id: string,
  secrets: { secret: string; previousSecrets: string },
): Promise<Date> {
  const { rows } = await db.query<{ until: Date }>(
    `update webhooks
        set secret = $2, previous_secret = $3, previous_secret_until = now() + interval '24 hours'
      where id = $1 returning previous_secret_until as until`,
    [id, secrets.secret, secrets.previousSecrets],
  )
  return rows[0]?.until as Date
}

/** Deletes previous secrets that no longer sign, of up to `limit` webhooks. Returns the number of webhooks. */
export async function deletePreviousSecrets(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `with ended as materialized (
       select id from webhooks where previous_secret_until <= now()
        order by previous_secret_until limit $1 for update skip locked
     )
     update webhooks set previous_secret = null, previous_secret_until = null where id in (select id from ended)`,
    [limit],
  )
  return rowCount ?? 0
}

/** False when the webhook was enabled already. */
export async function updateWebhookEnabled(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update webhooks set disabled_at = null, disabled_reason = null, failing_since = null
      where id = $1 and disabled_at is not null`,
    [id],
  )
  return rowCount === 1
}

/** Returns the webhook's name; undefined when it was disabled already. */
export async function updateWebhookDisabled(db: Queryable, id: string, reason: string): Promise<string | undefined> {
  const { rows } = await db.query<{ name: string }>(
    `update webhooks set disabled_at = now(), disabled_reason = $2 where id = $1 and disabled_at is null returning name`,
    [id, reason],
  )
  return rows[0]?.name
}

/** SQL for how long all attempts may fail before the webhook is disabled. */
export const failingAllowedSql = `interval '5 days'`

/**
 * Records that an attempt failed. `forLong`: all attempts have failed for five days. Undefined when the webhook is gone.
 * Must be the first statement of its transaction: all transactions lock a webhook before its deliveries.
 */
export async function updateWebhookFailing(tx: Queryable, id: string): Promise<{ forLong: boolean } | undefined> {
  const { rows } = await tx.query<{ isNews: boolean; forLong: boolean }>(
    `select failing_since is null as "isNews", coalesce(failing_since < now() - ${failingAllowedSql}, false) as "forLong"
       from webhooks where id = $1 and removed_at is null for key share`,
    [id],
  )
  const [webhook] = rows
  if (webhook?.isNews)
    await tx.query('update webhooks set failing_since = now() where id = $1 and failing_since is null', [id])
  return webhook
}

export async function updateWebhookHealthy(db: Queryable, id: string): Promise<void> {
  await db.query('update webhooks set failing_since = null where id = $1', [id])
}

/** `url` is the encrypted address that the id was made from. Does nothing when the webhook has another address meanwhile. */
export async function updateWebhookHost(db: Queryable, id: string, url: string, hostId: string): Promise<void> {
  await db.query('update webhooks set host_id = $3 where id = $1 and url = $2', [id, url, hostId])
}

export async function updateWebhookSlow(db: Queryable, id: string, isSlow: boolean): Promise<void> {
  await db.query('update webhooks set is_slow = $2 where id = $1 and is_slow <> $2', [id, isSlow])
}

/** Restarts the time after which a failing webhook is disabled. */
export async function updateFailingWebhooks(tx: Queryable): Promise<void> {
  await tx.query('update webhooks set failing_since = now() where disabled_at is null and failing_since is not null')
}

/** A webhook that was removed or that lost sites at this time. */
export type WebhookWithLostSites = { id: string; lostSitesAt: Date }

/**
 * Records that no delivery of a lost site is left, and deletes the webhook if it was removed. Does nothing if it lost more
 * sites meanwhile.
 */
export async function updateLostSitesDeleted(db: Queryable, { id, lostSitesAt }: WebhookWithLostSites): Promise<void> {
  await db.query('delete from webhooks where id = $1 and removed_at is not null', [id])
  await db.query('update webhooks set lost_sites_at = null where id = $1 and lost_sites_at = $2', [id, lostSitesAt])
}
