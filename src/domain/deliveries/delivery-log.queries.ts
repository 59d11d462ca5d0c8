import type { Queryable } from '#db/database.ts'
import { hasSitesOfSql, type StoredWebhook } from '../webhooks/webhooks.queries.ts'
import type { Attempt } from './deliveries.queries.ts'

type DeliveryState = 'pending' | 'delivered' | 'failed'

export type LogChoice = {
  /** Null: every state. */
  state: DeliveryState | null
  /** Only deliveries that were made since this time. */
  since: Date | null
  /** The last delivery of the previous page. */
  after?: { createdAt: Date; id: string } | undefined
  limit: number
}

export type LoggedDelivery = {
  id: string
  /** The id that the receiver sees in the header `webhook-id`. */
  webhookId: string
  type: string
  state: DeliveryState
  createdAt: Date
  attempts: number
  /** Failed attempts since the delivery was made or replayed. */
  failures: number
  lastAttemptAt: Date | null
  status: number | null
  durationMs: number | null
  error: string | null
  nextAttemptAt: Date | null
}

/** Newest first, each with its last attempt. */
export async function listDeliveries(db: Queryable, webhookId: string, choice: LogChoice): Promise<LoggedDelivery[]> {
  const { rows } = await db.query<LoggedDelivery>(
    `select d.id, d.event_id as "webhookId", e.type, d.state, d.created_at as "createdAt", d.attempts,
            d.rung as failures, a.started_at as "lastAttemptAt", a.status, a.duration_ms as "durationMs", a.error,
            d.next_attempt_at as "nextAttemptAt"
       from deliveries d join events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
            left join delivery_attempts a on a.delivery_id = d.id and a.attempt = d.attempts
      where d.webhook_id = $1 and ${stateIsSql(choice.state)} and ($2::timestamptz is null or d.created_at >= $2)
        and ($3::timestamptz is null or (d.created_at, d.id) < ($3, $4::uuid)) and ${hasSitesOfSql('d', 'w')}
      order by d.created_at desc, d.id desc limit $5`,
    [webhookId, choice.since, choice.after?.createdAt ?? null, choice.after?.id ?? null, choice.limit],
  )
  return rows
}

/** A constant, so that PostgreSQL uses the index of unsettled deliveries. */
function stateIsSql(state: DeliveryState | null): string {
  return state === null
    ? 'true'
    : { pending: `d.state = 'pending'`, delivered: `d.state = 'delivered'`, failed: `d.state = 'failed'` }[state]
}

/**
 * How many deliveries failed for good, and how many wait for an attempt. The sites are compared only if the webhook lost some:
 * otherwise PostgreSQL reads nothing but an index.
 */
export async function countUnsettled(
  db: Queryable,
  webhook: Pick<StoredWebhook, 'id' | 'hasLostSites'>,
  since: Date | null,
): Promise<{ failed: number; pending: number }> {
  const { rows } = await db.query<{ failed: number; pending: number }>(
    `select (count(*) filter (where d.state = 'failed'))::integer as failed,
            (count(*) filter (where d.state = 'pending'))::integer as pending
       from deliveries d join webhooks w on w.id = d.webhook_id
      where d.webhook_id = $1 and d.state <> 'delivered' and ($2::timestamptz is null or d.created_at >= $2)
        and ${webhook.hasLostSites ? hasSitesOfSql('d', 'w') : 'true'}`,
    [webhook.id, since],
  )
  return rows[0] as { failed: number; pending: number }
}

export type LoggedAttempt = Attempt & { delivery: string; attempt: number }

/** The last attempts of these deliveries, at most `perDelivery` of each: every replay adds up to ten. */
export async function listAttempts(
  db: Queryable,
  deliveryIds: string[],
  perDelivery: number,
): Promise<LoggedAttempt[]> {
  const { rows } = await db.query<LoggedAttempt>(
    `select a.delivery_id as delivery, a.attempt, a.started_at as "startedAt", a.status, a.duration_ms as "durationMs",
            a.error, a.reply
       from deliveries d join delivery_attempts a on a.delivery_id = d.id
      where d.id = any($1) and a.attempt > d.attempts - $2
      order by d.created_at desc, d.id desc, a.attempt`,
    [deliveryIds, perDelivery],
  )
  return rows
}
