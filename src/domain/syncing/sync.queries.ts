import type { Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import { inPieces } from '#lib/pieces.ts'
import type { SyncedSite } from '../record/observe-vouchers.queries.ts'

export type ValidVoucher = { id: string; controllerVoucherId: string | null; code: string; createdAt: Date }

/** Valid vouchers that must be in a list whose reading began at `listedAt`, newest first, in pages. */
export async function listValidVouchers(
  db: Queryable,
  siteId: number,
  options: { listedAt: Date; after: ValidVoucher | undefined; limit: number },
): Promise<ValidVoucher[]> {
  const { listedAt, after, limit } = options
  const { rows } = await db.query<ValidVoucher>(
    `select id, controller_voucher_id as "controllerVoucherId", code, created_at as "createdAt"
       from vouchers
      where site_id = $1 and status = 'valid' and (created_at, id) < ($2, $3)
      order by created_at desc, id desc
      limit $4`,
    [siteId, after?.createdAt ?? listedAt, after?.id ?? '00000000-0000-0000-0000-000000000000', limit],
  )
  return rows
}

/** Like `listValidVouchers`, but only vouchers with this code. */
export async function listValidVouchersByCode(
  db: Queryable,
  { siteId, listedAt }: SyncedSite,
  code: string,
): Promise<ValidVoucher[]> {
  const { rows } = await db.query<ValidVoucher>(
    `select id, controller_voucher_id as "controllerVoucherId", code, created_at as "createdAt"
       from vouchers where site_id = $1 and code = $2 and status = 'valid' and created_at < $3`,
    [siteId, code, listedAt],
  )
  return rows
}

const idsPerStatement = 10_000

/** A voucher of a controller that the record does not have. */
export type UnrecordedVoucher = SeenVoucher & {
  /** A creation with this name is under way and may still record the voucher. */
  isSought: boolean
}

/**
 * Vouchers of a controller that the record does not have. Codes are compared only with recorded vouchers that have no id of the
 * controller, because a controller may reuse a code. One statement reads vouchers and creations. So a voucher that is being
 * recorded is either left out or has `isSought`.
 */
export async function listUnrecorded(
  db: Queryable,
  siteId: number,
  vouchers: SeenVoucher[],
): Promise<UnrecordedVoucher[]> {
  const unrecorded: UnrecordedVoucher[] = []
  for (const piece of inPieces(vouchers, idsPerStatement)) unrecorded.push(...(await listPiece(db, siteId, piece)))
  return unrecorded
}

async function listPiece(db: Queryable, siteId: number, vouchers: SeenVoucher[]): Promise<UnrecordedVoucher[]> {
  const { rows } = await db.query<{ place: number; isSought: boolean }>(
    `select seen.place::integer as place,
            exists (select from creations
                     where site_id = $1 and settled_at is null and coalesce(note, controller_name) = seen.note) as "isSought"
       from unnest($2::text[], $3::text[], $4::text[]) with ordinality as seen (id, code, note, place)
      where not exists (select from vouchers where site_id = $1 and controller_voucher_id = seen.id)
        and not exists (select from vouchers
                         where site_id = $1 and controller_voucher_id is null and code = seen.code)
      order by place`,
    [siteId, vouchers.map(({ id }) => id), vouchers.map(({ code }) => code), vouchers.map(({ shape }) => shape.name)],
  )
  return rows.map(({ place, isSought }) => ({ ...(vouchers[place - 1] as SeenVoucher), isSought }))
}

/** Returns the controller's ids of those vouchers that are recorded for another site at the same controller address. */
export async function listRecordedElsewhere(db: Queryable, siteId: number, vouchers: SeenVoucher[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select v.controller_voucher_id as id
       from sites own join controllers at on at.id = own.controller_id
       join controllers c on c.address = at.address join sites s on s.controller_id = c.id and s.id <> own.id
       join vouchers v on v.site_id = s.id and v.controller_voucher_id = any ($2::text[])
      where own.id = $1`,
    [siteId, vouchers.flatMap(({ id }) => id ?? [])],
  )
  return rows.map(({ id }) => id)
}
