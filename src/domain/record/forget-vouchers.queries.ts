import type { Queryable } from '#db/database.ts'
import type { VoucherStatus } from './voucher.ts'

/** Vouchers of one status of a site that ended more than this many days ago. */
export type OldVouchers = { siteId: number; status: Exclude<VoucherStatus, 'valid'>; endedDaysAgo: number }

export type OldVoucher = { id: string; controllerVoucherId: string | null; code: string; createdAt: Date }

/**
 * SQL: ended more than $3 days ago, and no withdrawal is open. A voucher without a recorded end counts as if it had
 * been used right after its creation: it ended when its minutes had run out.
 */
const isOldSql = `site_id = $1 and status = $2 and created_at < now() - make_interval(days => $3)
  and coalesce(revoked_at, expires_at, created_at + make_interval(mins => expire_minutes)) < now() - make_interval(days => $3)
  and not exists (select from withdrawals w
                   where w.site_id = $1 and w.voucher_id = vouchers.id and w.settled_at is null)`

/** Oldest first, in pages. */
export async function listOldVouchers(
  db: Queryable,
  { siteId, status, endedDaysAgo }: OldVouchers,
  { after, limit }: { after: OldVoucher | undefined; limit: number },
): Promise<OldVoucher[]> {
  const { rows } = await db.query<OldVoucher>(
    `select id, controller_voucher_id as "controllerVoucherId", code, created_at as "createdAt"
       from vouchers
      where ${isOldSql} and (created_at, id) > ($4, $5)
      order by created_at, id
      limit $6`,
    [siteId, status, endedDaysAgo, after?.createdAt ?? '-infinity', after?.id ?? noId, limit],
  )
  return rows
}

const noId = '00000000-0000-0000-0000-000000000000'

/** Deletes those of these vouchers that are still old. Returns how many. */
export async function deleteOldVouchers(
  db: Queryable,
  { siteId, status, endedDaysAgo }: OldVouchers,
  ids: string[],
): Promise<number> {
  const { rowCount } = await db.query(
    `with old as materialized (
       select id from vouchers where ${isOldSql} and id = any ($4::uuid[]) order by id for update skip locked
     )
     delete from vouchers where site_id = $1 and id in (select id from old)`,
    [siteId, status, endedDaysAgo, ids],
  )
  return rowCount ?? 0
}
