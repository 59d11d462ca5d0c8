import type { Queryable } from '#db/database.ts'
import type { DeliveryToSend } from './enqueue-deliveries.ts'
import type { Notification } from './notification.ts'
import type { Target } from './send.ts'

export type DueDelivery = Target & {
  id: string
  turn: number
  eventId: string
  disabled: boolean
  failing: boolean
  isSlow: boolean
} & Notification

/** Undefined when another job was first, it is settled already, or its webhook is gone. */
export async function findDueDelivery(db: Queryable, id: string, turn: number): Promise<DueDelivery | undefined> {
  const { rows } = await db.query<DueDelivery>(
    `select d.id, d.turn, e.id as "eventId", e.type, e.created_at as "createdAt", e.data, w.id as "webhookId", w.format,
            w.url, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as "previousSecret",
            w.disabled_at is not null as disabled, w.failing_since is not null as failing, w.is_slow as "isSlow"
       from deliveries d join events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
      where d.id = $1 and d.turn = $2 and d.state = 'pending'`,
    [id, turn],
  )
  return rows[0]
}

export type Attempt = {
  startedAt: Date
  durationMs: number
  status: number | null
  error: string | null
  reply: string | null
}

/** The attempt and the end of the delivery; nothing when another job was first. */
export async function insertArrival(db: Queryable, due: DueDelivery, attempt: Attempt): Promise<void> {
  await insertAttempt(db, due, attempt, `state = 'delivered', settled_at = now(), next_attempt_at = null`)
}

/** How many attempts in a row have failed with this one; undefined when another job was first. */
export function insertFailure(db: Queryable, due: DueDelivery, attempt: Attempt): Promise<number | undefined> {
  return insertAttempt(db, due, attempt, 'rung = rung + 1')
}

async function insertAttempt(db: Queryable, due: DueDelivery, attempt: Attempt, change: string) {
  const { rows } = await db.query<{ rung: number }>(
    `with delivery as (
       update deliveries set attempts = attempts + 1, turn = turn + 1, ${change}
        where id = $1 and turn = $2 and state = 'pending'
        returning id, attempts, rung
     ), attempt as (
       insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status, error, reply)
       select id, attempts, $3, $4, $5, $6, $7 from delivery
     )
     select rung from delivery`,
    [due.id, due.turn, attempt.startedAt, attempt.durationMs, attempt.status, attempt.error, attempt.reply],
  )
  return rows[0]?.rung
}

/** Returns the delivery as it is next to be sent. */
export async function updateDeliveryPostponed(db: Queryable, id: string, pauseMs: number): Promise<DeliveryToSend> {
  const { rows } = await db.query<DeliveryToSend>(
    `update deliveries d set next_attempt_at = now() + $2 * interval '1 millisecond'
       from webhooks w
      where d.id = $1 and w.id = d.webhook_id
     returning d.id, d.webhook_id as "webhookId", d.turn, w.is_slow as "isSlow", d.next_attempt_at as "nextAttemptAt"`,
    [id, pauseMs],
  )
  return rows[0] as DeliveryToSend
}

/** Given up. */
export async function updateDeliveryFailed(db: Queryable, id: string): Promise<void> {
  await db.query(
    `update deliveries set state = 'failed', settled_at = now(), next_attempt_at = null, turn = turn + 1
      where id = $1 and state = 'pending'`,
    [id],
  )
}

export type OverdueDelivery = DeliveryToSend & { nextAttemptAt: Date }

/** Those that should have been sent a minute ago, in the order of their time. */
export async function listOverdueDeliveries(
  db: Queryable,
  after: Pick<OverdueDelivery, 'id' | 'nextAttemptAt'> | undefined,
  limit: number,
): Promise<OverdueDelivery[]> {
  const { rows } = await db.query<OverdueDelivery>(
    `select d.id, d.webhook_id as "webhookId", d.turn, d.next_attempt_at as "nextAttemptAt", w.is_slow as "isSlow"
       from deliveries d join webhooks w on w.id = d.webhook_id
      where d.state = 'pending' and d.next_attempt_at < now() - interval '1 minute'
        and ($1::timestamptz is null or (d.next_attempt_at, d.id) > ($1, $2::uuid))
      order by d.next_attempt_at, d.id limit $3`,
    [after?.nextAttemptAt ?? null, after?.id ?? null, limit],
  )
  return rows
}
