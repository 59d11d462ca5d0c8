import type { Queryable } from '#db/database.ts'
import { type ChangedVoucher, changedVoucherColumnsSql } from '../deliveries/events.queries.ts'
import { isAfterImportSql } from './import-vouchers.queries.ts'

/** Marks that webhooks were notified of the first use of these vouchers. Returns the vouchers that were not marked before. */
export async function updateFirstUseNotified(tx: Queryable, siteId: number, ids: string[]): Promise<ChangedVoucher[]> {
  const { rows } = await tx.query<ChangedVoucher>(
    `update vouchers set first_use_told = true
      where site_id = $1 and id = any ($2::uuid[]) and not first_use_told
     returning ${changedVoucherColumnsSql(isAfterImportSql('first_used_at'))}`,
    [siteId, ids],
  )
  return rows
}

/** Marks that webhooks were notified of the end of these vouchers. Returns the vouchers that were not marked before. */
export async function updateEndNotified(tx: Queryable, siteId: number, ids: string[]): Promise<ChangedVoucher[]> {
  const { rows } = await tx.query<ChangedVoucher>(
    `update vouchers set end_told = true
      where site_id = $1 and id = any ($2::uuid[]) and not end_told
     returning ${changedVoucherColumnsSql(isAfterImportSql('expires_at'))}`,
    [siteId, ids],
  )
  return rows
}

const isOverSql = `status in ('valid', 'used') and not end_told and expires_at <= now()`

/** Vouchers whose minutes ran out since the last sweep, earliest first. */
export async function listEndedVouchers(
  db: Queryable,
  limit: number,
): Promise<{ siteId: number; site: string; id: string }[]> {
  const { rows } = await db.query<{ siteId: number; site: string; id: string }>(
    `select site_id as "siteId", (select name from sites where sites.id = site_id) as site, id
       from vouchers where ${isOverSql} order by expires_at limit $1`,
    [limit],
  )
  return rows
}

/**
 * Records that the minutes of these vouchers ran out: valid vouchers become expired, used ones stay used. Skips vouchers that
 * another process changes at this moment; the next sweep finds them again if they are still due.
 */
export async function updateVouchersEnded(tx: Queryable, siteId: number, ids: string[]): Promise<ChangedVoucher[]> {
  const { rows } = await tx.query<ChangedVoucher>(
    `with due as materialized (
       select id from vouchers where site_id = $1 and id = any ($2::uuid[]) and ${isOverSql} for update skip locked
     )
     update vouchers set status = case status when 'valid' then 'expired' else status end, end_told = true
       from due where site_id = $1 and vouchers.id = due.id
     returning ${changedVoucherColumnsSql(isAfterImportSql('expires_at'))}`,
    [siteId, ids],
  )
  return rows
}
