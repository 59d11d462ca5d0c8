import type { Queryable } from '#db/database.ts'
import type { Notification } from '../webhooks/formats.ts'
import type { DeliveryToSend } from './deliveries.queries.ts'

export type NewEvent = {
  id: string
  type: Notification['type']
  data: Notification['data']
  siteId?: number
  controllerId?: string
}

/**
 * Inserts the event and a delivery for each webhook that wants it, in one statement. Inserts nothing when no webhook wants
 * it. An event of a controller goes to webhooks that report on controllers and cover at least one of its sites.
 */
export async function insertEventWithDeliveries(tx: Queryable, event: NewEvent): Promise<DeliveryToSend[]> {
  const { rows } = await tx.query<DeliveryToSend>(
    `with wanted as (
       select id, is_slow from webhooks w
        where disabled_at is null
          and $2 = any (events)
          and (all_sites or exists (select from webhook_sites s join sites on sites.id = s.site_id
                                     where s.webhook_id = w.id and (sites.id = $3 or sites.controller_id = $4)))
          for key share of w -- waits for a removal that is under way, and then skips that webhook
     ), event as (
       insert into events (id, type, site_id, controller_id, data)
       select $1, $2, $3, $4, $5 where exists (select from wanted)
       returning id
     )
     insert into deliveries (id, event_id, webhook_id)
     select gen_random_uuid(), event.id, wanted.id from event, wanted
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
