import type { Queryable } from '#db/database.ts'

export type NewEvent = { id: string; type: string; siteId: number; data: object }

/** The event and a delivery for each webhook that wants it, in one statement. Nobody wants it: nothing is written. */
export async function insertEventWithDeliveries(tx: Queryable, event: NewEvent): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `with wanted as (
       select id from webhooks w
        where disabled_at is null
          and (all_sites or exists (select from webhook_sites s where s.webhook_id = w.id and s.site_id = $3))
          for key share -- one that is being removed is waited for, and then not wanted any more
     ), event as (
       insert into events (id, type, site_id, data)
       select $1, $2, $3, $4 where exists (select from wanted)
       returning id
     )
     insert into deliveries (id, event_id, webhook_id)
     select gen_random_uuid(), event.id, wanted.id from event, wanted
     returning id`,
    [event.id, event.type, event.siteId, event.data],
  )
  return rows.map(({ id }) => id)
}

export type DueDelivery = {
  id: string
  eventId: string
  type: string
  createdAt: Date
  data: EventData
  webhookId: string
  format: string
  url: string
  secret: string | null
}

export type EventData = { count: number; site_id: number; site: string; source: string; voucher_ids: string[] }

/** Undefined when it is settled already, or its webhook is gone or disabled. */
export async function findDueDelivery(db: Queryable, id: string): Promise<DueDelivery | undefined> {
  const { rows } = await db.query<DueDelivery>(
    `select d.id, e.id as "eventId", e.type, e.created_at as "createdAt", e.data, w.id as "webhookId", w.format, w.url,
            w.secret
       from deliveries d join events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
      where d.id = $1 and d.state = 'pending' and w.disabled_at is null`,
    [id],
  )
  return rows[0]
}

export type Attempt = {
  startedAt: Date
  durationMs: number
  status: number | null
  error: string | null
  delivered: boolean
}

export async function insertAttempt(db: Queryable, deliveryId: string, attempt: Attempt): Promise<void> {
  await db.query(
    `with counted as (
       update deliveries
          set attempts = attempts + 1, state = case when $6 then 'delivered' else state end,
              settled_at = case when $6 then coalesce(settled_at, now()) else settled_at end
        where id = $1
        returning attempts
     )
     insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status, error)
     select $1, attempts, $2, $3, $4, $5 from counted`,
    [deliveryId, attempt.startedAt, attempt.durationMs, attempt.status, attempt.error, attempt.delivered],
  )
}
