import type { Queryable } from '#db/database.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import type { Fact, Notification } from '../webhooks/notification.ts'
import { hasSitesOfSql } from '../webhooks/webhooks.queries.ts'
import type { Target } from './send-event.ts'

/** `isSlow`: the last attempt to its webhook took long, or there was none. `hostId` is null if it is not known yet. */
export type DeliveryToSend = {
  id: string
  webhookId: string
  hostId: string | null
  jobNumber: number
  isSlow: boolean
  nextAttemptAt?: Date
}

/** SQL for a `DeliveryToSend` from the delivery `d` and its webhook `w`. */
export const deliveryToSendSql = `d.id, w.id as "webhookId", w.host_id as "hostId", d.turn as "jobNumber", w.is_slow as "isSlow"`

export type DueDelivery = Target & {
  id: string
  jobNumber: number
  eventId: string
  /** The webhook is disabled or removed, or it lost the site of the delivery. */
  isForbidden: boolean
  failing: boolean
  isSlow: boolean
  hostId: string | null
  /** When references of the event were erased, before it was read. */
  erasedAt: Date | null
} & Notification

/** Undefined when another job was first, the delivery is settled already, its webhook is gone, or the service is held. */
export async function findDueDelivery(db: Queryable, id: string, jobNumber: number): Promise<DueDelivery | undefined> {
  const { rows } = await db.query<DueDelivery>(
    `select d.id, d.turn as "jobNumber", e.id as "eventId", e.type, e.created_at as "createdAt", w.id as "webhookId", w.format, w.language,
            e.data || case when d.site_ids is null then '{}' else jsonb_build_object('site_ids', d.site_ids) end as data, w.url, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as "previousSecrets",
            (w.disabled_at is not null or not ${hasSitesOfSql('d', 'w')}) as "isForbidden", w.failing_since is not null as failing, w.is_slow as "isSlow",
            w.host_id as "hostId", e.erased_at as "erasedAt"
       from deliveries d join events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
      where d.id = $1 and d.turn = $2 and d.state = 'pending' and ${isNotHeldSql}`,
    [id, jobNumber],
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

/** Inserts the attempt and settles the delivery. Does nothing when another job was first. */
export async function insertArrival(db: Queryable, due: DueDelivery, attempt: Attempt): Promise<void> {
  await insertAttempt(db, due, attempt, `state = 'delivered', settled_at = now(), next_attempt_at = null`)
}

/** Returns the number of failures in a row, including this one; undefined when another job was first. */
export function insertFailure(db: Queryable, due: DueDelivery, attempt: Attempt): Promise<number | undefined> {
  return insertAttempt(db, due, attempt, 'rung = rung + 1')
}

/**
 * The answer of the receiver may repeat a reference that was sent. If it was erased meanwhile, the answer is not stored. The lock
 * makes an erasure that comes later wait, so that it finds the answer.
 */
async function insertAttempt(db: Queryable, due: DueDelivery, attempt: Attempt, change: string) {
  const { rows } = await db.query<{ failuresInARow: number }>(
    `with event as (
       select erased_at from events where id = $8 and $9 for share
     ), delivery as (
       update deliveries set attempts = attempts + 1, turn = turn + 1, ${change}
        where id = $1 and turn = $2 and state = 'pending'
        returning id, attempts, rung
     ), attempt as (
       insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status, error, reply)
       select id, attempts, $3, $4, $5, case when may_store then $6 end, case when may_store then $7 end
         from delivery,
              (select not $9 or exists (select from event where erased_at is not distinct from $10::timestamptz)) as known (may_store)
     )
     select rung as "failuresInARow" from delivery`,
    [
      due.id,
      due.jobNumber,
      attempt.startedAt,
      attempt.durationMs,
      attempt.status,
      attempt.error,
      attempt.reply,
      due.eventId,
      hasReference(due),
      due.erasedAt,
    ],
  )
  return rows[0]?.failuresInARow
}

function hasReference({ data }: Fact): boolean {
  if ('vouchers' in data) return data.vouchers.some(({ reference }) => reference !== null)
  return 'reference' in data && data.reference !== null
}

/** Schedules the next attempt and returns the delivery for its new job. */
export async function updateDeliveryPostponed(db: Queryable, id: string, pauseMs: number): Promise<DeliveryToSend> {
  const { rows } = await db.query<DeliveryToSend>(
    `update deliveries d set next_attempt_at = now() + $2 * interval '1 millisecond'
       from webhooks w
      where d.id = $1 and w.id = d.webhook_id
     returning ${deliveryToSendSql}, d.next_attempt_at as "nextAttemptAt"`,
    [id, pauseMs],
  )
  return rows[0] as DeliveryToSend
}

/** Ends a delivery that will not be tried again. */
export async function updateDeliveryFailed(db: Queryable, id: string): Promise<void> {
  await db.query(
    `update deliveries set state = 'failed', settled_at = now(), next_attempt_at = null, turn = turn + 1
      where id = $1 and state = 'pending'`,
    [id],
  )
}

export type OverdueDelivery = DeliveryToSend & { nextAttemptAt: Date }

/** Deliveries that are overdue by more than these seconds, earliest first. None while the service is held. */
export async function listOverdueDeliveries(
  db: Queryable,
  overdueSeconds: number,
  after: Pick<OverdueDelivery, 'id' | 'nextAttemptAt'> | undefined,
  limit: number,
): Promise<OverdueDelivery[]> {
  const { rows } = await db.query<OverdueDelivery>(
    `select ${deliveryToSendSql}, d.next_attempt_at as "nextAttemptAt"
       from deliveries d join webhooks w on w.id = d.webhook_id
      where d.state = 'pending' and d.next_attempt_at <= now() - make_interval(secs => $4) and ${isNotHeldSql}
        and ($1::timestamptz is null or (d.next_attempt_at, d.id) > ($1, $2::uuid))
      order by d.next_attempt_at, d.id limit $3`,
    [after?.nextAttemptAt ?? null, after?.id ?? null, limit, overdueSeconds],
  )
  return rows
}

/** The deliveries to replay: one, by its own id or its webhook-id, or those of a time span, all or only the failed ones. */
export type ReplayChoice = { delivery: string } | { since: Date; until: Date; onlyFailed: boolean }

type Replayed = DeliveryToSend & { createdAt: Date }

/** Makes the chosen deliveries due now, oldest first, with a new job number and no failures. */
export async function updateDeliveriesReplayed(
  tx: Queryable,
  webhookId: string,
  choice: ReplayChoice,
  page: { after: { id: string; createdAt: Date } | undefined; limit: number },
): Promise<Replayed[]> {
  const [condition, values] =
    'delivery' in choice
      ? ['$5 in (d.id, d.event_id)', [choice.delivery]]
      : [
          `d.created_at >= $5 and d.created_at < $6 and (d.state = 'failed' or not $7)`,
          [choice.since, choice.until, choice.onlyFailed],
        ]
  const { rows } = await tx.query<Replayed>(
    `with chosen as (
       select d.id as chosen_id from deliveries d join webhooks w on w.id = d.webhook_id
        where d.webhook_id = $1 and ($2::timestamptz is null or (d.created_at, d.id) > ($2, $3::uuid)) and ${condition}
          and ${hasSitesOfSql('d', 'w')}
        order by d.created_at, d.id limit $4 for update of d
     ), replayed as (
       update deliveries
          set state = 'pending', settled_at = null, next_attempt_at = now(), turn = turn + 1, rung = 0
         from chosen where id = chosen_id
        returning id, webhook_id, turn, created_at
     )
     select ${deliveryToSendSql}, d.created_at as "createdAt"
       from replayed d join webhooks w on w.id = d.webhook_id order by d.created_at, d.id`,
    [webhookId, page.after?.createdAt ?? null, page.after?.id ?? null, page.limit, ...values],
  )
  return rows
}
