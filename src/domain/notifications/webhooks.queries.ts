import type { Queryable } from '#db/database.ts'

export type Webhook = {
  id: string
  name: string
  format: string
  allSites: boolean
  siteIds: number[]
  disabledAt: Date | null
  createdAt: Date
}

const webhookColumns = `id, name, format, all_sites as "allSites",
  array(select site_id from webhook_sites where webhook_id = webhooks.id order by site_id) as "siteIds",
  disabled_at as "disabledAt", created_at as "createdAt"`

export async function listWebhooks(db: Queryable): Promise<Webhook[]> {
  const { rows } = await db.query<Webhook>(`select ${webhookColumns} from webhooks order by name`)
  return rows
}

export async function findWebhook(
  db: Queryable,
  name: string,
): Promise<(Webhook & { url: string; secret: string | null }) | undefined> {
  const { rows } = await db.query<Webhook & { url: string; secret: string | null }>(
    `select ${webhookColumns}, url, secret from webhooks where name = $1`,
    [name],
  )
  return rows[0]
}

/** Undefined when the name is taken. */
export async function insertWebhook(
  db: Queryable,
  webhook: { id: string; name: string; format: string; url: string; secret: string | null; allSites: boolean },
): Promise<Webhook | undefined> {
  const { rows } = await db.query<Webhook>(
    `insert into webhooks (id, name, format, url, secret, all_sites) values ($1, $2, $3, $4, $5, $6)
     on conflict (name) do nothing
     returning ${webhookColumns}`,
    [webhook.id, webhook.name, webhook.format, webhook.url, webhook.secret, webhook.allSites],
  )
  return rows[0]
}

/** Returns the ids that exist; the caller decides what a missing one means. */
export async function insertWebhookSites(db: Queryable, webhookId: string, siteIds: number[]): Promise<number[]> {
  const { rows } = await db.query<{ siteId: number }>(
    `insert into webhook_sites (webhook_id, site_id) select $1, id from sites where id = any($2)
     returning site_id as "siteId"`,
    [webhookId, siteIds],
  )
  return rows.map((row) => row.siteId)
}

export async function deleteWebhook(db: Queryable, name: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>('delete from webhooks where name = $1 returning id', [name])
  return rows[0]?.id
}
