import type { Queryable } from '#db/database.ts'
import { mayUseSiteSql } from './sites.queries.ts'

/** The kinds of things that can refer to a site. */
export type SiteReference = 'vouchers' | 'batches' | 'templates' | 'webhooks' | 'keys' | 'staff' | 'sign-in groups'

/** Locks the site until the transaction ends, so nothing can begin to refer to it. */
export async function findSiteToRemove(
  tx: Queryable,
  id: number,
  onlySitesOf: string | null,
): Promise<{ name: string } | undefined> {
  const { rows } = await tx.query<{ name: string }>(
    `select name from sites s where s.id = $2 and ${mayUseSiteSql('$1', 's.id')} for update`,
    [onlySitesOf, id],
  )
  return rows[0]
}

/** The things that refer to a site. Revoked keys do not count: they can never be used again. */
export async function listSiteReferences(tx: Queryable, id: number): Promise<SiteReference[]> {
  const { rows } = await tx.query<{ kind: SiteReference }>(
    `select kind from (values
       ('vouchers', exists (select from vouchers where site_id = $1) or exists (select from creations where site_id = $1)),
       ('batches', exists (select from batches where site_id = $1)),
       ('templates', exists (select from templates where site_id = $1)),
       ('webhooks', exists (select from webhook_sites where site_id = $1)),
       ('keys', exists (select from api_key_sites join api_keys k on k.id = api_key_id
                         where site_id = $1 and k.revoked_at is null)),
       ('staff', exists (select from staff_sites where site_id = $1)),
       ('sign-in groups', exists (select from settings, jsonb_array_elements(value -> 'groups') as entry
                                   where name = 'sign_in_groups' and entry -> 'siteIds' @> to_jsonb($1::integer)))
     ) as referring (kind, refers) where refers`,
    [id],
  )
  return rows.map(({ kind }) => kind)
}

/**
 * SQL: the rows of other tables that have no meaning without the site $1. The name of a setting of a site ends in its number, which
 * an import from another system may use again, for another site.
 */
const rowsOfSiteSql = {
  api_key_sites: 'site_id = $1',
  messages: 'site_id = $1',
  site_days: 'site_id = $1',
  site_versions: 'site_id = $1',
  settings: `name ~ ('^[a-z_]+/' || $1::integer || '$')`,
}

export async function deleteSite(tx: Queryable, id: number): Promise<void> {
  for (const [table, condition] of Object.entries(rowsOfSiteSql))
    await tx.query(`delete from ${table} where ${condition}`, [id])
  await tx.query('delete from sites where id = $1', [id])
}
