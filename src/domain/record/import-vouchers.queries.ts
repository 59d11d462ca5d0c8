import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { addingToSql } from './site-days.queries.ts'

/** A voucher of another system. `apiKeyId` and `staffId` are null if somebody created it on the controller. */
export type ImportedVoucher = {
  siteId: number
  controllerVoucherId: string | null
  code: string
  controllerName: string
  maxUses: number
  expireMinutes: number
  status: 'valid' | 'used' | 'expired'
  usedCount: number
  createdAt: Date
  expiresAt: Date | null
  issuedOn: string
  apiKeyId: string | null
  staffId: string | null
}

/** A voucher whose maker was counted on a day. `created` is 0 if only the maker became known. */
type Counted = { siteId: number; day: string; created: number; redeemed: number; makers: Record<string, number> }

/** What an import recorded: the ids by site, and the counts that are not stored yet. */
export type ImportedVouchers = { ids: Map<number, string[]>; counted: Map<string, Counted> }

export const noImportedVouchers = (): ImportedVouchers => ({ ids: new Map(), counted: new Map() })

/**
 * Records vouchers of another system that are not recorded yet, and adds them to `imported`. A voucher is recorded if the site has its
 * id of the controller, or its code where one of the two has no such id. If a sync recorded it first, only its maker is added. Returns
 * how many are new. The ids have the time of the creation, because lists are sorted by both.
 */
export async function insertImportedVouchers(
  tx: Queryable,
  vouchers: ImportedVoucher[],
  imported: ImportedVouchers,
): Promise<number> {
  const { rows } = await tx.query<InsertedVoucher>(
    `with new as materialized (
       select *, coalesce('key:' || api_key_id, 'staff:' || staff_id, 'controller') as maker
         from jsonb_to_recordset($1::jsonb) as new (id uuid, site_id integer, controller_voucher_id text, code text,
         controller_name text, max_uses integer, expire_minutes integer, status text, used_count integer, created_at timestamptz(3),
         expires_at timestamptz(3), issued_on date, api_key_id uuid, staff_id uuid)
     ), claimed as (
       update vouchers v set creation_id = v.id, api_key_id = new.api_key_id, staff_id = new.staff_id
         from new
        where v.site_id = new.site_id and new.maker <> 'controller'
          and (v.controller_voucher_id = new.controller_voucher_id or new.controller_voucher_id is null and v.code = new.code)
          and v.creation_id is null and v.api_key_id is null and v.staff_id is null
       returning v.id, v.site_id, v.issued_on, new.maker
     ), imported as (
       insert into vouchers (site_id, id, creation_id, api_key_id, staff_id, controller_voucher_id, code, controller_name, name, max_uses,
         expire_minutes, status, used_count, created_at, expires_at, issued_on, imported_at, first_use_told, end_told)
       select site_id, id, case when api_key_id is not null or staff_id is not null then id end, api_key_id, staff_id,
              controller_voucher_id, code, controller_name, without_date(controller_name), max_uses, expire_minutes, status, used_count,
              created_at, expires_at, issued_on, now(), used_count > 0, used_count > 0 and coalesce(expires_at <= now(), false)
         from new
        where not exists (select from vouchers v where v.site_id = new.site_id and v.controller_voucher_id = new.controller_voucher_id)
          and not exists (select from vouchers v
                           where v.site_id = new.site_id and v.code = new.code
                             and (v.controller_voucher_id is null or new.controller_voucher_id is null))
        order by site_id, id
       on conflict do nothing
       returning id, site_id, issued_on, used_count, coalesce('key:' || api_key_id, 'staff:' || staff_id, 'controller') as maker
     )
     select id, site_id as "siteId", issued_on::text as day, maker, used_count > 0 as redeemed, true as "isNew" from imported
     union all select id, site_id, issued_on::text, maker, false, false from claimed`,
    [
      JSON.stringify(
        vouchers.map((voucher) => ({
          id: uuidv7({ msecs: voucher.createdAt.getTime() }),
          site_id: voucher.siteId,
          controller_voucher_id: voucher.controllerVoucherId,
          code: voucher.code,
          controller_name: voucher.controllerName,
          max_uses: voucher.maxUses,
          expire_minutes: voucher.expireMinutes,
          status: voucher.status,
          used_count: voucher.usedCount,
          created_at: voucher.createdAt,
          expires_at: voucher.expiresAt,
          issued_on: voucher.issuedOn,
          api_key_id: voucher.apiKeyId,
          staff_id: voucher.staffId,
        })),
      ),
    ],
  )
  for (const row of rows) addTo(imported, row)
  return rows.filter(({ isNew }) => isNew).length
}

type InsertedVoucher = { id: string; siteId: number; day: string; maker: string; redeemed: boolean; isNew: boolean }

function addTo({ ids, counted }: ImportedVouchers, { id, siteId, day, maker, redeemed, isNew }: InsertedVoucher): void {
  const key = `${siteId} ${day}`
  const known = counted.get(key) ?? { siteId, day, created: 0, redeemed: 0, makers: {} }
  counted.set(key, known)
  known.makers[maker] = (known.makers[maker] ?? 0) + 1
  if (isNew) {
    known.created++
    known.redeemed += redeemed ? 1 : 0
  } else known.makers['controller'] = (known.makers['controller'] ?? 0) - 1
  const ofSite = ids.get(siteId) ?? []
  ids.set(siteId, ofSite)
  if (isNew) ofSite.push(id)
}

/**
 * Ends an import: counts its vouchers on the days of their issue, and changes the version of each list. It comes last, because creations
 * of a site wait for these rows until the transaction ends.
 *
 * Syncs of this time did not see the new vouchers of sites that were recorded before. So the import of these counts from now.
 */
export async function countImportedVouchers(
  tx: Queryable,
  { ids, counted }: ImportedVouchers,
  newSites: Set<number>,
): Promise<void> {
  const ofKnown = [...ids].flatMap(([siteId, ofSite]) =>
    newSites.has(siteId) ? [] : ofSite.map((id) => ({ site_id: siteId, id })),
  )
  if (ofKnown.length > 0)
    await tx.query(
      `update vouchers v set imported_at = clock_timestamp()
         from jsonb_to_recordset($1::jsonb) as new (site_id integer, id uuid) where v.site_id = new.site_id and v.id = new.id`,
      [JSON.stringify(ofKnown)],
    )
  await tx.query(
    `with version as (
       insert into site_versions (site_id, version)
       select site_id, gen_random_uuid() from unnest($2::integer[]) as changed (site_id) order by site_id
       on conflict (site_id) do update set version = excluded.version
       returning site_id
     )
     insert into site_days as known (site_id, day, created, created_redeemed, created_by)
     select site_id, day, created, redeemed, makers
       from jsonb_to_recordset($1::jsonb) as new (site_id integer, day date, created integer, redeemed integer, makers jsonb)
            join version using (site_id)
      order by site_id, day
     ${addingToSql(['created', 'created_redeemed', 'created_by'])}`,
    [
      JSON.stringify([...counted.values()].map(({ siteId, ...count }) => ({ site_id: siteId, ...count }))),
      [...new Set([...counted.values()].map(({ siteId }) => siteId))],
    ],
  )
}

/**
 * SQL: a change of a voucher at this time came after its import, if it was imported. After the first sync of the site, every change did:
 * that sync finds everything that had happened before.
 */
export const isAfterImportSql = (at: string) => `(imported_at is null or coalesce(${at} >= imported_at, false)
  or exists (select from sites where sites.id = site_id and synced_at >= imported_at))`
