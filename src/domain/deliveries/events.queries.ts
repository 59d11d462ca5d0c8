import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { EventType } from '../webhooks/event-types.ts'
import type { EventVoucher, Fact, RevocationReason } from '../webhooks/notification.ts'
import { type DeliveryToSend, deliveryToSendSql } from './deliveries.queries.ts'

export type NewEvent = Fact & { id: string; siteId?: number; controllerId?: string }

/** A voucher that changed. `isOurs`: this service created it. Only such vouchers have events. */
export type ChangedVoucher = EventVoucher & { isOurs: boolean }

/** A repair has no event: the voucher should not have been on the controller. */
export type RevokedVoucher = ChangedVoucher & { reason: RevocationReason | 'repair' }

/** SQL for a `ChangedVoucher` of `vouchers`. With a condition, only vouchers that meet it count as ours. */
export const changedVoucherColumnsSql = (condition = 'true') =>
  `vouchers.id, vouchers.reference, vouchers.creation_id is not null and ${condition} as "isOurs"`

/** SQL: whether webhook `w` sees a site. */
const seesSql = (siteId: string) =>
  `(w.all_sites or exists (select from webhook_sites seen where seen.webhook_id = w.id and seen.site_id = ${siteId}))`

/**
 * SQL for a condition on webhook `w`: it is enabled and is for all sites or for one of these sites. Two indexes find
 * the ids. With an `or`, PostgreSQL would read every webhook: 22 ms with 20,000 webhooks.
 */
const isForSql = (isOneOfSites: string) =>
  `w.disabled_at is null and w.id = any (array(
     select id from webhooks where all_sites and disabled_at is null
     union all
     select webhook_id from webhook_sites where ${isOneOfSites}))`

/** SQL: whether a webhook is subscribed to this type of event of the site. */
export const isWantedSql = (type: EventType, siteId: string) =>
  `exists (select from webhooks w where ${isForSql(`site_id = ${siteId}`)} and '${type}' = any (w.events))`

/** The types of events of a site that at least one webhook gets. */
export async function listWantedEvents(db: Queryable, siteId: number): Promise<EventType[]> {
  const { rows } = await db.query<{ type: EventType }>(
    `select distinct unnest(events) as type from webhooks w where ${isForSql('site_id = $1')}`,
    [siteId],
  )
  return rows.map(({ type }) => type)
}

/**
 * Inserts the event and a delivery for each webhook that is subscribed to it, in one statement. Inserts nothing when no
 * webhook is subscribed. An event of a controller goes to webhooks that see at least one of its sites. Each delivery has
 * the sites that its webhook sees.
 */
export async function insertEventWithDeliveries(tx: Queryable, event: NewEvent): Promise<DeliveryToSend[]> {
  const ofController = 'select id from sites where controller_id = $4'
  const [isOneOfSites, siteIds] =
    event.controllerId === undefined
      ? ['site_id = $3', 'null::integer[]']
      : [`site_id in (${ofController})`, `array(${ofController} and ${seesSql('sites.id')} order by id)`]
  const { rows } = await tx.query<DeliveryToSend>(
    `with wanted as (
       select id, host_id, is_slow, ${siteIds} as site_ids
         from webhooks w
        where ${isForSql(isOneOfSites)} and $2 = any (events) and ($4::uuid is null or exists (${ofController}))
          for key share of w -- waits for a removal that is under way, and then skips that webhook
     ), event as (
       insert into events (id, type, site_id, controller_id, data)
       select $1, $2, $3::integer, $4, $5 where exists (select from wanted)
       returning id
     ), inserted as (
       insert into deliveries (id, event_id, webhook_id, site_ids)
       select uuid_v7(), event.id, wanted.id, wanted.site_ids from event, wanted
       returning id, webhook_id, turn
     )
     select ${deliveryToSendSql}
       from inserted d join wanted w on w.id = d.webhook_id`,
    [event.id, event.type, event.siteId ?? null, event.controllerId ?? null, event.data],
  )
  return rows
}

/** SQL: how long the log of deliveries goes back. */
export const keptForSql = `interval '30 days'`

/**
 * Settled deliveries, with their attempts. They are deleted before their events: an event may have thousands of them.
 */
export const settledDeliveries: Retention = {
  table: 'deliveries',
  key: 'deliveries.id',
  from: 'events join deliveries on deliveries.event_id = events.id', // only events have an index by time
  since: 'events.created_at',
  keptFor: keptForSql,
  deletableIf: `deliveries.state <> 'pending'`,
}

/** Events without deliveries. An event with a pending delivery stays. */
export const deliveredEvents: Retention = {
  table: 'events',
  key: 'id',
  since: 'created_at',
  keptFor: keptForSql,
  deletableIf: 'not exists (select from deliveries where event_id = events.id)',
}
