import type { Queryable } from '#db/database.ts'
import { failingAllowedSql, hasSitesOfSql } from '../webhooks/webhooks.queries.ts'
import type { Attempt } from './deliveries.queries.ts'

/** How deliveries to a webhook went lately. */
export type WebhookHealth = {
  /** Null while deliveries fail, while the webhook is disabled, and if the log has no arrival. */
  lastDeliveredAt: Date | null
  /** The last attempt, while deliveries fail or the webhook is disabled. */
  lastFailure: Attempt | null
  /** When the webhook will be disabled if nothing arrives until then. */
  disabledFrom: Date | null
  /** How long the previous secrets sign too. */
  previousSecretUntil: Date | null
}

/** The number of newest deliveries that are looked at. Older ones may have had a later attempt, which hardly matters. */
const looksAt = 20

export async function listWebhookHealth(db: Queryable, ids: string[]): Promise<Map<string, WebhookHealth>> {
  const { rows } = await db.query<FlatHealth>(
    `select w.id, w.arrived_at as "lastDeliveredAt",
            case when w.disabled_at is null then w.failing_since + ${failingAllowedSql} end as "disabledFrom",
            case when w.previous_secret_until > now() then w.previous_secret_until end as "previousSecretUntil",
            f.started_at as "startedAt", f.duration_ms as "durationMs", f.status, f.error, f.reply
       from (select id, failing_since, disabled_at, previous_secret_until, all_sites, lost_sites_at, case when failing_since is null and disabled_at is null then
                (select max(settled_at)
                   from (select settled_at, event_id, site_ids from deliveries
                          where webhook_id = webhooks.id and state = 'delivered'
                          order by created_at desc, id desc limit ${looksAt}) newest
                  where ${hasSitesOfSql('newest', 'webhooks')}) end as arrived_at
               from webhooks where id = any($1)) w
            left join lateral (
              select a.started_at, a.duration_ms, a.status, a.error, a.reply
                from (select id, attempts, event_id, site_ids from deliveries
                       where webhook_id = w.id and state <> 'delivered' and attempts > 0
                       order by created_at desc, id desc limit ${looksAt}) d
                     join delivery_attempts a on a.delivery_id = d.id and a.attempt = d.attempts
               where ${hasSitesOfSql('d', 'w')}
               order by a.started_at desc limit 1
            ) f on w.failing_since is not null or w.disabled_at is not null`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, toHealth(row)]))
}

type FlatHealth = Omit<WebhookHealth, 'lastFailure'> & { id: string } & (Attempt | { startedAt: null })

function toHealth({
  id: _,
  lastDeliveredAt,
  disabledFrom,
  previousSecretUntil,
  ...attempt
}: FlatHealth): WebhookHealth {
  const lastFailure = attempt.startedAt === null ? null : attempt
  return { lastDeliveredAt, disabledFrom, previousSecretUntil, lastFailure }
}
