import type { Queryable } from '#db/database.ts'
import type { SiteItem } from '../public-id.ts'
import { bindFilter, type RevocationFilter } from '../record/revocation-filter.ts'

/** The vouchers that exist. Whether they can still be withdrawn is decided when the worker gets to them. */
export async function listExistingVouchers(db: Queryable, places: SiteItem[]): Promise<SiteItem[]> {
  const { rows } = await db.query<SiteItem>(
    `select vouchers.site_id as "siteId", vouchers.id
       from unnest($1::integer[], $2::uuid[]) as wanted (site_id, id)
       join vouchers on vouchers.site_id = wanted.site_id and vouchers.id = wanted.id`,
    [places.map(({ siteId }) => siteId), places.map(({ id }) => id)],
  )
  return rows
}

/** Matching vouchers that can still be withdrawn. A used voucher can be, while its minutes run. */
export async function listRevocableVouchers(
  tx: Queryable,
  sites: number[] | 'all',
  filter: RevocationFilter,
  limit: number,
): Promise<SiteItem[]> {
  const { values, bind, where } = bindFilter(sites, filter, [limit])
  const { rows } = await tx.query<SiteItem>(
    `select site_id as "siteId", id from vouchers
      where code <> '' and status in ('valid', 'used') and (expires_at is null or expires_at > ${bind(filter.now)})
        and ${where}
      limit $1`,
    values,
  )
  return rows
}
