import type { Queryable } from '#db/database.ts'
export type Template = { maxUses: number; expireMinutes: number; downKbps: number; upKbps: number; quotaMb: number }
/** One for this site or for all. */
export async function findTemplate(db: Queryable, id: string, siteId: number): Promise<Template | undefined> {
  const { rows } = await db.query<Template>(
    `select max_uses as "maxUses", expire_minutes as "expireMinutes", qos_down_kbps as "downKbps",
            qos_up_kbps as "upKbps", qos_quota_mb as "quotaMb"
       from templates where id = $1 and (site_id is null or site_id = $2)`,
    [id, siteId],
  )
  return rows[0]
}
