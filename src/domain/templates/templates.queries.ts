import { type Queryable, undefinedIfTaken } from '#db/database.ts'

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
  /** The place in the order that people gave the templates. Null for templates that nobody has ordered yet. */
  position: number | null
  /** Whether the desk begins with this template. The default of a site takes precedence over the one for all sites. */
  isDefault: boolean
  createdAt: Date
}

const templateColumns = `id, site_id as "siteId", name, max_uses as "maxUses", expire_minutes as "expireMinutes",
  qos_down_kbps as "downKbps", qos_up_kbps as "upKbps", qos_quota_mb as "quotaMb",
  unused_days as "unusedDays", position, is_default as "isDefault", created_at as "createdAt"`

/** The order of templates on every page: as people ordered them, then those that nobody has ordered, the shortest first. */
const orderSql = `coalesce(position, ${maxLimit}), expire_minutes, id`

/** All templates in their order. */
export async function listTemplates(db: Queryable): Promise<Template[]> {
  const { rows } = await db.query<Template>(`select ${templateColumns} from templates order by ${orderSql}`)
  return rows
}

/** The values by which templates are ordered. */
export type TemplatePlace = Pick<Template, 'position' | 'expireMinutes' | 'id'>

/** The templates for all sites and for the given sites in their order, page by page. */
export async function listTemplatePage(
  db: Queryable,
  sites: number[] | 'all',
  { after, limit }: { after: TemplatePlace | undefined; limit: number },
): Promise<Template[]> {
  const { rows } = await db.query<Template>(
    `select ${templateColumns}
       from templates
      where (site_id is null or $1::integer[] is null or site_id = any($1))
        and ($4::uuid is null or (${orderSql}) > (coalesce($2::integer, ${maxLimit}), $3::integer, $4))
      order by ${orderSql}
      limit $5`,
    [sites === 'all' ? null : sites, after?.position ?? null, after?.expireMinutes ?? null, after?.id ?? null, limit],
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
  template: Omit<Template, 'position' | 'isDefault' | 'createdAt'>,
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

/** Locks all templates until the transaction ends, because their order and the default concern several. Lists them in their order. */
export async function listTemplatesToOrder(tx: Queryable): Promise<Template[]> {
  await tx.query('select from templates order by id for update')
  return listTemplates(tx)
}

/** Numbers the templates in this order. */
export async function updateTemplateOrder(tx: Queryable, ids: string[]): Promise<void> {
  await tx.query(
    `update templates set position = place.number
       from unnest($1::uuid[]) with ordinality as place (id, number)
      where templates.id = place.id and templates.position is distinct from place.number`,
    [ids],
  )
}

/** No template of the site, or of those for all sites, is the default any more. */
export async function updateNoDefault(tx: Queryable, siteId: number | null): Promise<void> {
  await tx.query('update templates set is_default = false where is_default and site_id is not distinct from $1', [
    siteId,
  ])
}

/** Locks the row until the transaction ends. Undefined when no template has this id. */
export async function findTemplateToChange(tx: Queryable, id: string): Promise<Template | undefined> {
  const { rows } = await tx.query<Template>(`select ${templateColumns} from templates where id = $1 for update`, [id])
  return rows[0]
}

/** Undefined when the name is taken. The transaction is aborted then. */
export async function updateTemplate(
  tx: Queryable,
  template: Omit<Template, 'position' | 'createdAt'>,
): Promise<Template | undefined> {
  const { id, name, maxUses, expireMinutes, downKbps, upKbps, quotaMb, unusedDays, isDefault } = template
  const updated = await tx
    .query<Template>(
      `update templates
          set name = $2, max_uses = $3, expire_minutes = $4, qos_down_kbps = $5, qos_up_kbps = $6, qos_quota_mb = $7,
              unused_days = $8, is_default = $9
        where id = $1
       returning ${templateColumns}`,
      [id, name, maxUses, expireMinutes, downKbps, upKbps, quotaMb, unusedDays, isDefault],
    )
    .catch(undefinedIfTaken)
  return updated?.rows[0]
}

export async function deleteTemplate(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from templates where id = $1', [id])
}
