import type { Queryable } from '#db/database.ts'

export type LogChoice = { onlyFailed: boolean; since: Date | null; limit: number }

export type LoggedDelivery = {
  id: string
  /** The id that the receiver sees in the header `webhook-id`. */
  webhookId: string
  type: string
  state: string
  createdAt: Date
  attempts: number
  lastAttemptAt: Date | null
  status: number | null
  durationMs: number | null
  error: string | null
  nextAttemptAt: Date | null
}

const chosen = `select * from deliveries
  where webhook_id = $1 and (state = 'failed' or not $2) and ($3::timestamptz is null or created_at >= $3)
  order by created_at desc, id desc limit $4`

/** Newest first, each with its last attempt. */
export async function listDeliveries(db: Queryable, webhookId: string, choice: LogChoice): Promise<LoggedDelivery[]> {
  const { rows } = await db.query<LoggedDelivery>(
    `select d.id, d.event_id as "webhookId", e.type, d.state, d.created_at as "createdAt", d.attempts,
            a.started_at as "lastAttemptAt", a.status, a.duration_ms as "durationMs", a.error,
            d.next_attempt_at as "nextAttemptAt"
       from (${chosen}) d join events e on e.id = d.event_id
            left join delivery_attempts a on a.delivery_id = d.id and a.attempt = d.attempts
      order by d.created_at desc, d.id desc`,
    [webhookId, choice.onlyFailed, choice.since, choice.limit],
  )
  return rows
}

export type LoggedAttempt = {
  delivery: string
  attempt: number
  startedAt: Date
  status: number | null
  durationMs: number
  error: string | null
  reply: string | null
}

/** All attempts of the deliveries that `listDeliveries` returns. */
export async function listAttempts(db: Queryable, webhookId: string, choice: LogChoice): Promise<LoggedAttempt[]> {
  const { rows } = await db.query<LoggedAttempt>(
    `select a.delivery_id as delivery, a.attempt, a.started_at as "startedAt", a.status, a.duration_ms as "durationMs",
            a.error, a.reply
       from (${chosen}) d join delivery_attempts a on a.delivery_id = d.id
      order by d.created_at desc, d.id desc, a.attempt`,
    [webhookId, choice.onlyFailed, choice.since, choice.limit],
  )
  return rows
}
