import type { Database } from '#db/database.ts'
import { seedKey, seedSite, seedVoucher } from './seed.ts'

/** Two sites in different time zones, with vouchers that have every kind of value of a table for people. */
export async function seedReadableVouchers(db: Database): Promise<{ key: string }> {
  const { id, key } = await seedKey(db, { name: 'Rezeption Süd' })
  const baer = await seedSite(db, { name: 'Gasthof Bär, Köln' })
  const tokyo = await seedSite(db, { name: 'Tokyo' })
  await db.query('update sites set time_zone = $2 where id = $1', [tokyo, 'Asia/Tokyo'])
  await seedVoucher(db, baer, {
    name: 'Jürgen Weiß; Zimmer 7',
    code: '0861409510',
    createdAt: new Date('2026-07-04T21:30:00Z'),
    expiresAt: new Date('2026-07-05T12:58:00Z'),
    status: 'expired',
    usedCount: 1,
    maxUses: 2,
    expireMinutes: 928,
    reference: 'R-4711',
    apiKeyId: id,
  })
  await db.query(
    `update vouchers set qos_down_kbps = 2500, qos_up_kbps = 10000, qos_quota_mb = 2048, first_used_at = '2026-07-04T21:30:00Z'
      where site_id = $1`,
    [baer],
  )
  await seedVoucher(db, tokyo, {
    name: '=1+1',
    code: '08614095',
    createdAt: new Date('2026-03-02T16:05:00Z'),
    maxUses: 0,
    expireMinutes: 1440,
  })
  return { key }
}
