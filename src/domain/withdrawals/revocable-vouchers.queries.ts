import type { Queryable } from '#db/database.ts'
import { pageConditions, type VoucherFilter } from '../vouchers/voucher-filter.ts'
import type { VoucherPlace } from './revocation.ts'

/** Of these, those that are there: whether they can still be withdrawn is found out when it is their turn. */
export async function listExistingVouchers(db: Queryable, places: VoucherPlace[]): Promise<VoucherPlace[]> {
  const { rows } = await db.query<VoucherPlace>(
    `select vouchers.site_id as "siteId", vouchers.id
       from unnest($1::integer[], $2::uuid[]) as wanted (site_id, id)
       join vouchers on vouchers.site_id = wanted.site_id and vouchers.id = wanted.id`,
    [places.map(({ siteId }) => siteId), places.map(({ id }) => id)],
  )
  return rows
}

/** Vouchers that fit and can still be withdrawn: a used one as well, while its minutes run. */
export async function listRevocableVouchers(
  db: Queryable,
  sites: number[] | 'all',
  filter: Omit<VoucherFilter, 'status' | 'after'>,
  limit: number,
): Promise<VoucherPlace[]> {
  const values: unknown[] = [limit]
  const bind = (value: unknown) => `$${values.push(value)}`
  const [fits = []] = pageConditions(filter, bind)
  const where = [
    sites === 'all' ? `code <> ''` : `site_id = any (${bind(sites)}::integer[])`,
    `status in ('valid', 'used')`,
    `(expires_at is null or expires_at > ${bind(filter.now)})`,
    ...fits,
  ]
  const { rows } = await db.query<VoucherPlace>(
    `select site_id as "siteId", id from vouchers where ${where.join(' and ')} limit $1`,
    values,
  )
  return rows
}
