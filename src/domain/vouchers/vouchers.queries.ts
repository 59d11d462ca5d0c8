import type { Queryable } from '#db/database.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import type { Wishes } from './creation.ts'

export type VoucherStatus = 'valid' | 'used' | 'expired' | 'revoked'

export type ListedVoucher = {
  code: string
  name: string
  maxUses: number
  expireMinutes: number
  status: VoucherStatus
  usedCount: number
  createdAt: Date
  expiresAt: Date | null
}

/** As recorded: whether a `valid` one has run out since is for the reader to say (`statusAt`). */
export async function listNewestVouchers(db: Queryable, siteId: number, limit: number): Promise<ListedVoucher[]> {
  const { rows } = await db.query<ListedVoucher>(
    `select code, name, max_uses as "maxUses", expire_minutes as "expireMinutes", status, used_count as "usedCount",
            created_at as "createdAt", expires_at as "expiresAt"
       from vouchers
      where site_id = $1
      order by created_at desc, id desc
      limit $2`,
    [siteId, limit],
  )
  return rows
}

export type NewVoucher = Wishes & {
  id: string
  creationId: string
  controllerVoucherId: string | null
  code: string
  batchId: string | null
}

/** Controller vouchers that a creation has already. They are compared by id, because a controller may give a code again. */
export async function listHeldVouchers(
  tx: Queryable,
  siteId: number,
  vouchers: { id: string | null; code: string }[],
): Promise<{ id: string | null; code: string }[]> {
  const { rows } = await tx.query<{ id: string | null; code: string }>(
    `select controller_voucher_id as id, code from vouchers
      where site_id = $1 and controller_voucher_id = any($2) and creation_id is not null
     union all
     select null, code from vouchers
      where site_id = $1 and controller_voucher_id is null and code = any($3) and creation_id is not null`,
    [siteId, vouchers.flatMap(({ id }) => id ?? []), vouchers.map(({ code }) => code)],
  )
  return rows
}

/**
 * Gives each of these controller vouchers, all of one shape, to its creation; those that another creation holds already are
 * left out. Takes over a row that sync adopted first: it keeps its id.
 */
export async function claimVouchers(
  tx: Queryable,
  made: { siteId: number; apiKeyId: string; shape: VoucherShape },
  vouchers: NewVoucher[],
): Promise<{ id: string; creationId: string }[]> {
  const { siteId, apiKeyId, shape } = made
  const sameVoucher =
    vouchers[0]?.controllerVoucherId === null
      ? '(site_id, code) where controller_voucher_id is null'
      : '(site_id, controller_voucher_id)'
  const { rows } = await tx.query<{ id: string; creationId: string }>(
    `insert into vouchers (site_id, id, creation_id, api_key_id, controller_voucher_id, code, name, max_uses,
       expire_minutes, qos_down_kbps, qos_up_kbps, qos_quota_mb, reference, valid_until, batch_id, created_at)
     select $1, new.id, new."creationId", $2, new."controllerVoucherId", new.code, $3, $4, $5, $6, $7, $8,
            new.reference, new."validUntil", new."batchId", now()
       from jsonb_to_recordset($9::jsonb) as new (id uuid, "creationId" uuid, "controllerVoucherId" text, code text,
              reference text, "validUntil" timestamptz(3), "batchId" uuid)
      order by new."controllerVoucherId", new.code
     on conflict ${sameVoucher} do update
       set creation_id = excluded.creation_id, api_key_id = excluded.api_key_id, reference = excluded.reference,
           valid_until = excluded.valid_until, batch_id = excluded.batch_id where vouchers.creation_id is null
     returning id, creation_id as "creationId"`,
    [
      siteId,
      apiKeyId,
      shape.name,
      shape.maxUses,
      shape.expireMinutes,
      shape.downKbps,
      shape.upKbps,
      shape.quotaMb,
      JSON.stringify(vouchers),
    ],
  )
  return rows
}
