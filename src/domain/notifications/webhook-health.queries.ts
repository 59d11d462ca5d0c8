import type { Queryable } from '#db/database.ts'

/**
 * Notes that an attempt failed, and tells whether all have for five days. Undefined when the webhook is gone. Comes first
 * in its transaction: whoever removes a webhook also locks it before its deliveries.
 */
export async function updateWebhookFailing(tx: Queryable, id: string): Promise<{ forLong: boolean } | undefined> {
  const { rows } = await tx.query<{ isNews: boolean; forLong: boolean }>(
    `select failing_since is null as "isNews", coalesce(failing_since < now() - interval '5 days', false) as "forLong"
       from webhooks where id = $1 for key share`,
    [id],
  )
  const [webhook] = rows
  if (webhook?.isNews)
    await tx.query('update webhooks set failing_since = now() where id = $1 and failing_since is null', [id])
  return webhook
}

export async function updateWebhookWell(db: Queryable, id: string): Promise<void> {
  await db.query('update webhooks set failing_since = null where id = $1', [id])
}

export async function updateWebhookSlow(db: Queryable, id: string, isSlow: boolean): Promise<void> {
  await db.query('update webhooks set is_slow = $2 where id = $1 and is_slow <> $2', [id, isSlow])
}

/** Undefined when it was disabled already. */
export async function updateWebhookDisabled(db: Queryable, id: string, reason: string): Promise<string | undefined> {
  const { rows } = await db.query<{ name: string }>(
    `update webhooks set disabled_at = now(), disabled_reason = $2 where id = $1 and disabled_at is null returning name`,
    [id, reason],
  )
  return rows[0]?.name
}

/** False when nothing had to be changed. */
export async function updateWebhookEnabled(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update webhooks set disabled_at = null, disabled_reason = null, failing_since = null
      where id = $1 and disabled_at is not null`,
    [id],
  )
  return rowCount === 1
}
