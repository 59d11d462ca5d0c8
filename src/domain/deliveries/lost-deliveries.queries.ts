import type { Queryable } from '#db/database.ts'
import { hasSitesOfSql, type WebhookWithLostSites } from '../webhooks/webhooks.queries.ts'

/**
 * Webhooks that were removed or lost sites more than a minute ago, earliest first. Until then, a transaction that began before
 * the change may still add a delivery of an old site.
 */
export async function listWebhooksWithLostSites(db: Queryable, limit: number): Promise<WebhookWithLostSites[]> {
  const { rows } = await db.query<WebhookWithLostSites>(
    `select id, lost_sites_at as "lostSitesAt" from webhooks where lost_sites_at < now() - interval '1 minute'
      order by lost_sites_at limit $1`,
    [limit],
  )
  return rows
}

/** The last delivery of a page. */
export type PageEnd = { id: string; createdAt: Date }

export type LostPage = {
  /** How many deliveries were read. */
  read: number
  /** How many of them are of lost sites. */
  lost: number
  /** The events of the deliveries that were deleted. Deliveries that another process uses are left for the next sweep. */
  eventIds: string[]
  last: PageEnd | null
}

/** Reads the next deliveries of a webhook, oldest first, and deletes those of lost sites with their attempts. */
export async function deleteLostPage(
  db: Queryable,
  webhookId: string,
  after: PageEnd | undefined,
  limit: number,
): Promise<LostPage> {
  const { rows } = await db.query<Omit<LostPage, 'last'> & { lastId: string | null; lastAt: Date | null }>(
    `with page as materialized (
       select d.id, d.created_at, not ${hasSitesOfSql('d', 'w')} as is_lost
         from deliveries d join webhooks w on w.id = d.webhook_id
        where d.webhook_id = $1 and ($2::timestamptz is null or (d.created_at, d.id) > ($2, $3::uuid))
        order by d.created_at, d.id limit $4
     ), free as materialized (
       select id from deliveries where id in (select id from page where is_lost) for update skip locked
     ), deleted as (
       delete from deliveries where id in (select id from free) returning event_id
     ), last as (
       select id, created_at from page order by created_at desc, id desc limit 1
     )
     select (select count(*)::integer from page) as read, (select count(*)::integer from page where is_lost) as lost,
            array(select event_id from deleted) as "eventIds",
            (select id from last) as "lastId", (select created_at from last) as "lastAt"`,
    [webhookId, after?.createdAt ?? null, after?.id ?? null, limit],
  )
  const { lastId, lastAt, ...page } = rows[0] as (typeof rows)[0]
  return { ...page, last: lastId === null ? null : { id: lastId, createdAt: lastAt as Date } }
}

/** Deletes those of the events that no webhook gets any more. */
export async function deleteEventsWithoutDeliveries(db: Queryable, ids: string[]): Promise<void> {
  await db.query(
    'delete from events where id = any($1) and not exists (select from deliveries where event_id = events.id)',
    [ids],
  )
}
