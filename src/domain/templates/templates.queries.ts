import type { Queryable } from '#db/database.ts'

/** The largest number that a column can hold. A driver may accept less; this is checked when a voucher is created. */
export const maxLimit = 2_147_483_647
/** The most days until an unused voucher is withdrawn: ten years. */
export const maxUnusedDays = 3_650

/** Named settings for new vouchers: duration, uses and bandwidth. A template without a site is for all sites. */
export type Template = {
  id: string
  siteId: number | null
  name: string
  maxUses: number
  expireMinutes: number
  downKbps: number
  upKbps: number
  quotaMb: number
  /** After this many days a voucher is withdrawn if nobody has used it; null for never. */
  unusedDays: number | null
  createdAt: Date
}

const templateColumns = `id, site_id as "siteId", name, max_uses as "maxUses", expire_minutes as "expireMinutes",
  qos_down_kbps as "downKbps", qos_up_kbps as "upKbps", qos_quota_mb as "quotaMb",
  unused_days as "unusedDays", created_at as "createdAt"`

const byNameSql = `name collate natural_order`

/** All templates, by name. */
export async function listTemplates(db: Queryable): Promise<Template[]> {
  const { rows } = await db.query<Template>(`select ${templateColumns} from templates order by ${byNameSql}, id`)
  return rows
}

export type TemplatePlace = { name: string; id: string }

/** The templates for all sites and for the given sites, by name, page by page. */
export async function listTemplatePage(
  db: Queryable,
  sites: number[] | 'all',
  options: { after: TemplatePlace | undefined; limit: number },
): Promise<Template[]> {
  const { rows } = await db.query<Template>(
    `select ${templateColumns}
       from templates
      where (site_id is null or $1::integer[] is null or site_id = any($1))
        and ($2::text is null or (${byNameSql}, id) > ($2 collate natural_order, $3::uuid))
      order by ${byNameSql}, id
      limit $4`,
    [sites === 'all' ? null : sites, options.after?.name ?? null, options.after?.id ?? null, options.limit],
  )
  return rows
}

/** Undefined also when the template belongs to another site. */
export async function findTemplate(db: Queryable, id: string, siteId: number): Promise<Template | undefined> {
  const { rows } = await db.query<Template>(
    `select ${templateColumns} from templates where id = $1 and (site_id is null or site_id = $2)`,
    [id, siteId],
  )
  return rows[0]
}

/** Undefined when the name is taken: on the same site, or among the templates for all sites. */
export async function insertTemplate(
  db: Queryable,
  template: Omit<Template, 'createdAt'>,
): Promise<Template | undefined> {
  const { id, siteId, name, maxUses, expireMinutes, downKbps, upKbps, quotaMb, unusedDays } = template
  const { rows } = await db.query<Template>(
    `insert into templates (id, site_id, name, max_uses, expire_minutes, qos_down_kbps, qos_up_kbps, qos_quota_mb,
       unused_days)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (site_id, name) do nothing
     returning ${templateColumns}`,
    [id, siteId, name, maxUses, expireMinutes, downKbps, upKbps, quotaMb, unusedDays],
  )
  return rows[0]
}

/** Locks the row until the transaction ends. Undefined when no template has this id. */
export async function findTemplateToChange(tx: Queryable, id: string): Promise<Template | undefined> {
  const { rows } = await tx.query<Template>(`select ${templateColumns} from templates where id = $1 for update`, [id])
  return rows[0]
}

const nameIsTaken = '23505'

/** Undefined when the name is taken. The transaction is aborted then. */
export async function updateTemplate(
  tx: Queryable,
  template: Omit<Template, 'createdAt'>,
): Promise<Template | undefined> {
  const { id, name, maxUses, expireMinutes, downKbps, upKbps, quotaMb, unusedDays } = template
  try {
    const { rows } = await tx.query<Template>(
      `update templates
          set name = $2, max_uses = $3, expire_minutes = $4, qos_down_kbps = $5, qos_up_kbps = $6, qos_quota_mb = $7,
              unused_days = $8
        where id = $1
       returning ${templateColumns}`,
      [id, name, maxUses, expireMinutes, downKbps, upKbps, quotaMb, unusedDays],
    )
    return rows[0]
  } catch (error) {
    if ((error as { code?: unknown }).code === nameIsTaken) return undefined
    throw error
  }
}

export async function deleteTemplate(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from templates where id = $1', [id])
}
