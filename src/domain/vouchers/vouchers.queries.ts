import type { Queryable } from '#db/database.ts'
import type { VoucherShape } from '#drivers/driver.ts'

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

export type NewVoucher = {
  siteId: number
  id: string
  creationId: string
  apiKeyId: string
  controllerVoucherId: string | null
  code: string
  shape: VoucherShape
}

/** Of these codes, those that a creation holds already. */
export async function listHeldCodes(tx: Queryable, siteId: number, codes: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ code: string }>(
    `select code from vouchers where site_id = $1 and code = any($2) and creation_id is not null`,
    [siteId, codes],
  )
  return rows.map(({ code }) => code)
}

/** Undefined when another creation already holds this controller voucher. Takes over a row that sync adopted first. */
export async function claimVoucher(
  tx: Queryable,
  voucher: NewVoucher,
): Promise<{ id: string; isNew: boolean } | undefined> {
  const { shape } = voucher
  const sameVoucher =
    voucher.controllerVoucherId === null
      ? '(site_id, code) where controller_voucher_id is null'
      : '(site_id, controller_voucher_id)'
  const { rows } = await tx.query<{ id: string }>(
    `insert into vouchers (site_id, id, creation_id, api_key_id, controller_voucher_id, code, name, max_uses,
       expire_minutes, qos_down_kbps, qos_up_kbps, qos_quota_mb, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now())
     on conflict ${sameVoucher} do update
       set creation_id = excluded.creation_id, api_key_id = excluded.api_key_id where vouchers.creation_id is null
     returning id`,
    [
      voucher.siteId,
      voucher.id,
      voucher.creationId,
      voucher.apiKeyId,
      voucher.controllerVoucherId,
      voucher.code,
      shape.name,
      shape.maxUses,
      shape.expireMinutes,
      shape.downKbps,
      shape.upKbps,
      shape.quotaMb,
    ],
  )
  const id = rows[0]?.id
  return id === undefined ? undefined : { id, isNew: id === voucher.id }
}

export async function updateVoucherRevoked(tx: Queryable, siteId: number, id: string): Promise<void> {
  await tx.query(`update vouchers set status = 'revoked', revoked_at = now() where site_id = $1 and id = $2`, [
    siteId,
    id,
  ])
}
