import type { Queryable } from '#db/database.ts'
import type { DeliveryToSend } from './enqueue-deliveries.ts'

/** One, by its own id or by its webhook-id; or those that were made in a span of time, all or the failed ones. */
export type ReplayChoice = { delivery: string } | { since: Date; until: Date; onlyFailed: boolean }

export type Replayed = DeliveryToSend & { createdAt: Date }

/** In the order in which they were made. */
export async function updateDeliveriesReplayed(
  tx: Queryable,
  webhookId: string,
  choice: ReplayChoice,
  page: { after: { id: string; createdAt: Date } | undefined; limit: number },
): Promise<Replayed[]> {
  const [condition, values] =
    'delivery' in choice
      ? ['$5 in (id, event_id)', [choice.delivery]]
      : [
          `created_at >= $5 and created_at < $6 and (state = 'failed' or not $7)`,
          [choice.since, choice.until, choice.onlyFailed],
        ]
  const { rows } = await tx.query<Replayed>(
    `with chosen as (
       select id as chosen_id from deliveries
        where webhook_id = $1 and ($2::timestamptz is null or (created_at, id) > ($2, $3::uuid)) and ${condition}
        order by created_at, id limit $4 for update
     ), replayed as (
       update deliveries
          set state = 'pending', settled_at = null, next_attempt_at = now(), turn = turn + 1, rung = 0
         from chosen where id = chosen_id
        returning id, webhook_id as "webhookId", turn, created_at as "createdAt",
                  (select is_slow from webhooks where webhooks.id = webhook_id) as "isSlow"
     )
     select * from replayed order by "createdAt", id`,
    [webhookId, page.after?.createdAt ?? null, page.after?.id ?? null, page.limit, ...values],
  )
  return rows
}
