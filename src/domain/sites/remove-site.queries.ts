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

/** Also deletes the rows of other tables that have no meaning without the site. */
export async function deleteSite(tx: Queryable, id: number): Promise<void> {
  for (const table of ['api_key_sites', 'messages', 'site_days', 'site_versions'])
    await tx.query(`delete from ${table} where site_id = $1`, [id])
  // Settings of one site end with its number. An import from another system may use the number again, for another site.
  await tx.query(`delete from settings where name ~ ('^[a-z_]+/' || $1::integer || '$')`, [id])
  await tx.query('delete from sites where id = $1', [id])
}
