import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import type { Calendar } from '#lib/clock.ts'
import { changedVoucherColumnsSql, type RevokedVoucher } from '../deliveries/events.queries.ts'
import { isAfterImportSql } from './import-vouchers.queries.ts'
import { countAdoptedSql, moveDaysSql } from './site-days.queries.ts'
import { withoutTag } from './voucher-shape.ts'

/** SQL for the vouchers of a controller's list as rows. */
const seenRowsSql = `jsonb_to_recordset($2::jsonb) as seen (record_id uuid, id text, code text, name text, note text,
  max_uses integer, expire_minutes integer, down_kbps integer, up_kbps integer, quota_mb integer, used_count integer,
  created_at timestamptz(3), first_used_at timestamptz(3), expires_at timestamptz(3), expired boolean, issued_on date)`

function toRows(vouchers: SeenVoucher[], dayOf?: (createdAt: Date | null) => string): string {
  return JSON.stringify(
    vouchers.map(({ shape, ...voucher }) => ({
      record_id: uuidv7(),
      id: voucher.id,
      code: voucher.code,
      name: withoutTag(shape.name),
      note: shape.name,
      max_uses: shape.maxUses,
      expire_minutes: shape.expireMinutes,
      down_kbps: shape.downKbps,
      up_kbps: shape.upKbps,
      quota_mb: shape.quotaMb,
      used_count: voucher.usedCount,
      created_at: voucher.createdAt,
      first_used_at: voucher.firstUsedAt,
      expires_at: voucher.expiresAt,
      expired: voucher.expired,
      issued_on: dayOf?.(voucher.createdAt),
    })),
  )
}

/** SQL for the status: used, otherwise expired, otherwise valid. The controller reports when the minutes end. */
const statusBySql = (maxUses: string) => `case
    when ${maxUses} > 0 and seen.used_count >= ${maxUses} then 'used'
    when seen.expired or seen.expires_at <= now() then 'expired'
    else 'valid' end`

/** `listedAt`: when reading the list began. `day`: the calendar day on which the changes were noticed. */
export type SyncedSite = { siteId: number; listedAt: Date; day: string }

/** Times differ only if they are more than 6 s apart, because each process corrects a controller's clock with a small error. */
const differSql = (a: string, b: string) =>
  `((${a} is null) <> (${b} is null) or abs(extract(epoch from ${a} - ${b})) > 6)`

/** SQL: the other system did not know the limits of speed and data. */
const isFirstSyncSql = '(vouchers.imported_at is not null and vouchers.synced_at is null)'

/** `firstUsed` and `expired` are ids. */
type SeenChanges = { changed: number; firstUsed: string[]; expired: string[] }

/**
 * Updates recorded vouchers that differ from the controller's list.
 * - A voucher that counted as deleted and is listed again gets the status from the list.
 * - A voucher that was withdrawn after reading the list began stays withdrawn. The update checks this once more, because the
 *   withdrawal may be committed while the update waits for the row.
 * - A voucher that was withdrawn before and is listed again, for example by a restored controller, is withdrawn again. So is a
 *   voucher that counted as deleted when its withdrawal was due. If that withdrawal was only for an unused voucher, the new
 *   one is too.
 * - An imported voucher gets its limits of speed and data from the list once, because the other system did not know them.
 * - A voucher whose uses another process has just updated is skipped, so that its first use counts once.
 *
 * `materialized`, because the planner may otherwise join every voucher with the whole list, which took seconds for 20,000.
 */
export async function updateSeenVouchers(
  db: Queryable,
  { siteId, listedAt, day }: SyncedSite,
  vouchers: SeenVoucher[],
): Promise<SeenChanges> {
  const { rows } = await db.query<SeenChanges>(
    `with news as materialized (
       select known.id as known_id, known.used_count as used_before, known.status as status_before, seen.*,
              ${statusBySql('known.max_uses')} as status
         from ${seenRowsSql},
              lateral (
                select * from vouchers where site_id = $1 and controller_voucher_id = seen.id
                union all
                select * from vouchers where site_id = $1 and controller_voucher_id is null and code = seen.code
                  and not exists (select from vouchers where site_id = $1 and controller_voucher_id = seen.id)
              ) as known
        where (known.revoked_at is null or known.revoked_at < $3)
          and ((known.controller_voucher_id, known.used_count, known.status)
               is distinct from (seen.id, seen.used_count, ${statusBySql('known.max_uses')})
               or ${differSql('known.first_used_at', 'seen.first_used_at')}
               or ${differSql('known.expires_at', 'seen.expires_at')}
               or (known.imported_at is not null and known.synced_at is null))
     ), written as (
       update vouchers
          set controller_voucher_id = news.id, used_count = news.used_count, first_used_at = news.first_used_at,
              expires_at = news.expires_at, status = news.status, revoked_at = null, synced_at = now(),
              qos_down_kbps = case when ${isFirstSyncSql} then news.down_kbps else vouchers.qos_down_kbps end,
              qos_up_kbps = case when ${isFirstSyncSql} then news.up_kbps else vouchers.qos_up_kbps end,
              qos_quota_mb = case when ${isFirstSyncSql} then news.quota_mb else vouchers.qos_quota_mb end
         from news
        where vouchers.site_id = $1 and vouchers.id = news.known_id
          and (vouchers.revoked_at >= $3) is not true and vouchers.used_count = news.used_before
       returning vouchers.id, valid_until, vouchers.issued_on, news.used_before = 0 and news.used_count > 0 as redeemed,
         news.used_before > 0 and news.used_count = 0 as unredeemed, status_before,
         news.status = 'expired' and status_before in ('valid', 'used') as has_expired
     ), withdrawn_again as (
       insert into withdrawals (site_id, id, voucher_id, due_at, next_attempt_at, reason, only_unused)
       select $1, uuid_v7(), written.id, now(), now(), 'repair',
              not (coalesce(valid_until <= now(), false) or before.has_unconditional)
         from written,
              lateral (
                select count(*) > 0 as has_any,
                       coalesce(bool_or(outcome = 'revoked' or not only_unused), false) as has_unconditional
                  from withdrawals
                 where site_id = $1 and voucher_id = written.id and outcome in ('revoked', 'ended')
              ) as before
        where status_before = 'revoked' and (valid_until <= now() or before.has_any)
     ), counted as (${moveDaysSql(
       ['redeemed', 'created_redeemed'],
       `select $4::date as day, 1 as redeemed, 0 as created_redeemed from written where redeemed
        union all
        select issued_on, 0, redeemed::integer - unredeemed::integer from written where redeemed or unredeemed`,
     )})
     select count(*)::integer as changed, coalesce(array_agg(id) filter (where redeemed), '{}') as "firstUsed",
            coalesce(array_agg(id) filter (where has_expired), '{}') as expired
       from written`,
    [siteId, toRows(vouchers), listedAt, day],
  )
  return rows[0] ?? { changed: 0, firstUsed: [], expired: [] }
}

/**
 * Records vouchers that others made, and counts them for the days on which they were made. Leaves out vouchers that an open
 * creation may still claim. Returns the new ids.
 */
export async function insertAdoptedVouchers(
  db: Queryable,
  { siteId, today, now }: { siteId: number; today: Calendar; now: Date },
  vouchers: SeenVoucher[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `with site as materialized (
       select from sites where id = $1 for key share -- it may have been removed meanwhile
     ), adopted as (
     insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes,
       qos_down_kbps, qos_up_kbps, qos_quota_mb, status, used_count, created_at, first_used_at, expires_at, synced_at, issued_on)
     select $1, seen.record_id, seen.id, seen.code, seen.name, without_date(seen.name), seen.max_uses, seen.expire_minutes,
            seen.down_kbps, seen.up_kbps, seen.quota_mb, ${statusBySql('seen.max_uses')}, seen.used_count,
            coalesce(seen.created_at, now()), seen.first_used_at, seen.expires_at, now(), seen.issued_on
       from ${seenRowsSql}
      where seen.code is not null and seen.expire_minutes > 0
        and exists (select from site)
        and not exists (select from vouchers where site_id = $1 and controller_voucher_id = seen.id)
        and not exists (select from vouchers
                         where site_id = $1 and controller_voucher_id is null and code = seen.code)
        and not exists (select from creations
                         where site_id = $1 and settled_at is null and coalesce(note, controller_name) = seen.note
                           and creations.max_uses = seen.max_uses and creations.expire_minutes = seen.expire_minutes)
     on conflict do nothing
     returning id, issued_on, used_count
     ), ${countAdoptedSql}
     select id from adopted`,
    [siteId, toRows(vouchers, (createdAt) => today(createdAt ?? now))],
  )
  return rows.map(({ id }) => id)
}

type VanishedVoucher = RevokedVoucher & { status: 'expired' | 'revoked' }

/**
 * Sets vouchers that vanished from the controller to `revoked`, or to `expired` if their time had run out. If a voucher has a due
 * withdrawal, its reason is returned: the worker deleted the voucher and has not recorded that yet, or died before.
 */
export async function updateVanishedVouchers(
  db: Queryable,
  { siteId, day }: SyncedSite,
  ids: string[],
): Promise<VanishedVoucher[]> {
  const { rows } = await db.query<VanishedVoucher>(
    `with gone as (
       update vouchers
          set status = case when expires_at <= now() then 'expired' else 'revoked' end,
              revoked_at = case when expires_at <= now() then null else now() end,
              synced_at = now()
        where site_id = $1 and id = any ($2) and status = 'valid'
       returning ${changedVoucherColumnsSql(isAfterImportSql(`case status when 'expired' then expires_at end`))}, status,
         coalesce((select w.reason from withdrawals w
                    where w.site_id = $1 and w.voucher_id = vouchers.id and w.settled_at is null and w.due_at <= now()
                    order by w.due_at, w.id limit 1), 'controller') as reason
     ), counted as (${moveDaysSql(['revoked'], `select $3::date as day, 1 as revoked from gone where status = 'revoked'`)})
     select id, reference, "isOurs", status, reason from gone`,
    [siteId, ids, day],
  )
  return rows
}
