import type { Queryable } from '#db/database.ts'
import type { EventType } from '../webhooks/event-types.ts'
import type { EventVoucher, Fact, RevocationReason } from '../webhooks/notification.ts'
import type { DeliveryToSend } from './deliveries.queries.ts'

export type NewEvent = Fact & { id: string; siteId?: number; controllerId?: string }

/** A voucher that changed. `isOurs`: this service created it. Only such vouchers have events. */
export type ChangedVoucher = EventVoucher & { isOurs: boolean }

/** A repair has no event: the voucher should not have been on the controller. */
export type RevokedVoucher = ChangedVoucher & { reason: RevocationReason | 'repair' }

/** SQL for a `ChangedVoucher` of `vouchers`. */
export const changedVoucherColumns = `vouchers.id, vouchers.reference, vouchers.creation_id is not null as "isOurs"`

/** SQL: whether webhook `w` sees a site. */
const sees = (siteId: string) =>
  `(w.all_sites or exists (select from webhook_sites seen where seen.webhook_id = w.id and seen.site_id = ${siteId}))`

/** The types of events of a site that at least one webhook gets. */
export async function listWantedEvents(db: Queryable, siteId: number): Promise<EventType[]> {
  const { rows } = await db.query<{ type: EventType }>(
    `select distinct unnest(events) as type from webhooks w where disabled_at is null and ${sees('$1')}`,
    [siteId],
  )
  return rows.map(({ type }) => type)
}

/**
 * Inserts the event and a delivery for each webhook that wants it, in one statement. Inserts nothing when no webhook wants
 * it. An event of a controller goes to webhooks that see at least one of its sites. Each delivery has the sites that its
 * webhook sees.
 */
export async function insertEventWithDeliveries(tx: Queryable, event: NewEvent): Promise<DeliveryToSend[]> {
  const { rows } = await tx.query<DeliveryToSend>(
    `with wanted as (
       select id, is_slow,
              case when $4::uuid is not null
                   then array(select id from sites where controller_id = $4 and ${sees('sites.id')} order by id) end as site_ids
         from webhooks w
        where disabled_at is null and $2 = any (events)
          and case when $4::uuid is null then ${sees('$3::integer')}
                   else exists (select from sites where controller_id = $4 and ${sees('sites.id')}) end
          for key share of w -- waits for a removal that is under way, and then skips that webhook
     ), event as (
       insert into events (id, type, site_id, controller_id, data)
       select $1, $2, $3, $4, $5 where exists (select from wanted)
       returning id
     )
     insert into deliveries (id, event_id, webhook_id, site_ids)
     select gen_random_uuid(), event.id, wanted.id, wanted.site_ids from event, wanted
     returning id, webhook_id as "webhookId", turn, (select is_slow from wanted where id = webhook_id) as "isSlow"`,
    [event.id, event.type, event.siteId ?? null, event.controllerId ?? null, event.data],
  )
  return rows
}

/** Deletes up to 500 events with their deliveries and attempts. Events with a pending delivery stay. */
export async function deleteOldEvents(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `delete from events where id in (
       select id from events e
        where created_at < now() - interval '30 days'
          and not exists (select from deliveries d where d.event_id = e.id and d.state = 'pending')
        order by created_at limit 500)`,
  )
  return rowCount ?? 0
}
