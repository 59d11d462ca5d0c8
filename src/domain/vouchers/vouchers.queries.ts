import type { Queryable } from '#db/database.ts'

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
