import type { Queryable } from '#db/database.ts'

/** How many keys, webhooks and people are named. The counts have no such limit. */
const maxNamed = 50

type Named = { id: string; name: string }
type Counts = { keys: number; webhooks: number; people: number }

/** The keys, webhooks and people that use a site, for the person who is about to deactivate it. */
export type SiteEffects = {
  /** Keys, webhooks and people that are limited to some sites, including this one. `limited` counts them. */
  keys: Named[]
  webhooks: Named[]
  people: Named[]
  limited: Counts
  /** How many keys, webhooks and people may use all sites. */
  allSites: Counts
  validVouchers: number
}

/**
 * Leaves out revoked and expired keys, disabled webhooks and inactive people: the deactivation does not affect them.
 */
export async function findSiteEffects(db: Queryable, siteId: number): Promise<SiteEffects> {
  const { rows } = await db.query<SiteEffects>(
    `with using_site (kind, id, name, limited) as (
       select 'keys', k.id, k.name, not k.all_sites from api_keys k
        where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
          and (k.all_sites or exists (select from api_key_sites where api_key_id = k.id and site_id = $1))
       union all
       select 'webhooks', w.id, w.name, not w.all_sites from webhooks w
        where w.disabled_at is null
          and (w.all_sites or exists (select from webhook_sites where webhook_id = w.id and site_id = $1))
       union all
       select 'people', p.id, p.name, not p.all_sites from staff p
        where p.active and (p.all_sites or exists (select from staff_sites where staff_id = p.id and site_id = $1))
     ), counted as (
       select kind, count(*) filter (where limited)::integer as limited,
              count(*) filter (where not limited)::integer as "allSites"
         from using_site group by kind
     )
     select ${namesOfSql('keys')}, ${namesOfSql('webhooks')}, ${namesOfSql('people')},
            ${countsOfSql('limited')}, ${countsOfSql('allSites')},
            (select count(*)::integer from vouchers
              where site_id = $1 and status = 'valid' and (expires_at is null or expires_at > now())) as "validVouchers"`,
    [siteId],
  )
  return rows[0] as SiteEffects
}

function namesOfSql(kind: string): string {
  return `coalesce((select jsonb_agg(jsonb_build_object('id', id, 'name', name))
    from (select id, name from using_site where kind = '${kind}' and limited order by name, id limit ${maxNamed}) n
  ), '[]') as ${kind}`
}

function countsOfSql(column: string): string {
  const of = (kind: string) => `'${kind}', coalesce((select "${column}" from counted where kind = '${kind}'), 0)`
  return `jsonb_build_object(${['keys', 'webhooks', 'people'].map(of).join(', ')}) as "${column}"`
}
