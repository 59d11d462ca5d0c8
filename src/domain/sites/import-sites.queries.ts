import type { Queryable } from '#db/database.ts'
import type { SiteRow } from './site-row.ts'

export type PlacedRow = SiteRow & { controllerId: string }

export type RecordedSite = { id: number; name: string; controllerId: string; controllerSite: string }

/** Until the end of the transaction: two imports of the same sites in another order would lock each other out. */
export async function lockImports(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('voucher-service sites import'))`)
}

/** Returns only those that were not recorded yet. Their first sync is spread over an hour: thousands come at once. */
export async function insertSites(tx: Queryable, rows: PlacedRow[]): Promise<RecordedSite[]> {
  const { rows: inserted } = await tx.query<RecordedSite>(
    `insert into sites (name, controller_id, controller_site, active, adopts_vouchers, next_sync_at)
     select name, controller_id, controller_site, active, adopts_vouchers, now() + random() * interval '1 hour'
       from unnest($1::text[], $2::uuid[], $3::text[], $4::boolean[], $5::boolean[]) with ordinality
            as asked (name, controller_id, controller_site, active, adopts_vouchers, place)
      order by place
     on conflict (controller_id, controller_site) do nothing
     returning id, name, controller_id as "controllerId", controller_site as "controllerSite"`,
    [
      rows.map(({ name }) => name),
      rows.map(({ controllerId }) => controllerId),
      rows.map(({ controllerSite }) => controllerSite),
      rows.map(({ active }) => active),
      rows.map(({ adoptsVouchers }) => adoptsVouchers),
    ],
  )
  return inserted
}

export async function listRecordedSites(tx: Queryable, rows: PlacedRow[]): Promise<RecordedSite[]> {
  const { rows: recorded } = await tx.query<RecordedSite>(
    `select s.id, s.name, s.controller_id as "controllerId", s.controller_site as "controllerSite"
       from unnest($1::uuid[], $2::text[]) as asked (controller_id, controller_site)
       join sites s using (controller_id, controller_site)`,
    [rows.map(({ controllerId }) => controllerId), rows.map(({ controllerSite }) => controllerSite)],
  )
  return recorded
}
