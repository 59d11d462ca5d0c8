import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedManyVouchers, seedSite, seedVoucher } from '#test/data/seed.ts'

const app = await startApp()
const { key } = await seedKey(app.db)

async function list(siteId: number | string, withKey = key) {
  const answer = await app.call(`/api/vouchers.php?site_id=${siteId}`, { key: withKey })
  expect(answer.status).toBe(200)
  return answer.json().vouchers
}

test('200: each voucher has exactly the eight specified fields, times in ISO 8601 UTC', async () => {
  const site = await seedSite(app.db)
  await seedVoucher(app.db, site, {
    code: '0861409510',
    name: '2026-11-14_Gast',
    maxUses: 3,
    expireMinutes: 60,
    usedCount: 1,
    createdAt: new Date('2026-11-14T22:46:00.123Z'),
    expiresAt: new Date('2126-11-14T23:46:00Z'),
  })

  expect(await list(site)).toEqual([
    {
      voucher_code: '0861409510',
      voucher_name: '2026-11-14_Gast',
      max_uses: 3,
      expire_minutes: 60,
      status: 'valid',
      used_count: 1,
      created_at: '2026-11-14T22:46:00.123Z',
      expires_at: '2126-11-14T23:46:00.000Z',
    },
  ])
})

test('a name with control characters, quotes and any other letters is written as JSON.stringify writes it', async () => {
  const site = await seedSite(app.db)
  const controls = Array.from({ length: 0x1e }, (_, i) => String.fromCharCode(i + 1)).join('')
  const name = `${controls}"\\/<\x7f\x80äß東🎉\u2028\ufeff`
  await seedVoucher(app.db, site, { name })

  const { text } = await app.call(`/api/vouchers.php?site_id=${site}`, { key })

  expect(text).toContain(`"voucher_name":${JSON.stringify(name)},`)
  expect(text).toBe(JSON.stringify(JSON.parse(text)))
})

test('a name that contains the separator of the fields does not pass for another voucher', async () => {
  const site = await seedSite(app.db)
  const forged = ['Gast', 1, 60, 'valid', 0, '2026-11-14 22:46:00+00', '', '6666666666', 'Gast', 1, 60, 'valid', 0]
  await seedVoucher(app.db, site, { name: forged.join('\x1f') })

  expect(await list(site)).toMatchObject([{ voucher_name: forged.join('') }])
})

test('expires_at is null until the clock runs', async () => {
  const site = await seedSite(app.db)
  await seedVoucher(app.db, site, { expiresAt: null })

  expect(await list(site)).toMatchObject([{ expires_at: null, status: 'valid' }])
})

test('newest first by created_at, then by id descending', async () => {
  const site = await seedSite(app.db)
  const sameTime = new Date('2026-11-14T10:00:00Z')
  await seedVoucher(app.db, site, { code: 'older', createdAt: new Date('2026-11-14T09:00:00Z') })
  await seedVoucher(app.db, site, { code: 'first', createdAt: sameTime })
  await seedVoucher(app.db, site, { code: 'second', createdAt: sameTime })

  const codes = (await list(site)).map((voucher: { voucher_code: string }) => voucher.voucher_code)

  expect(codes).toEqual(['second', 'first', 'older'])
})

test('at most 200, the newest', async () => {
  const site = await seedSite(app.db)
  await seedManyVouchers(app.db, site, 250)

  const vouchers = await list(site)

  expect(vouchers).toHaveLength(200)
  expect(vouchers[0].voucher_name).toBe('2026-11-14_Gast 1')
  expect(vouchers[199].voucher_name).toBe('2026-11-14_Gast 200')
})

test('no other parameters are read: there is no pagination', async () => {
  const site = await seedSite(app.db)
  await seedVoucher(app.db, site)
  await seedVoucher(app.db, site)

  expect(await list(`${site}&limit=1&page=2&offset=1&status=used&sort=asc`)).toHaveLength(2)
})

test('a site that does not exist gives an empty list', async () => {
  expect(await list(2147483647)).toEqual([])
})

test('an inactive site is still listed', async () => {
  const site = await seedSite(app.db, { active: false })
  await seedVoucher(app.db, site)

  expect(await list(site)).toHaveLength(1)
})

test('a key limited to some sites lists others as empty', async () => {
  const [mine, other] = [await seedSite(app.db), await seedSite(app.db)]
  await seedVoucher(app.db, mine)
  await seedVoucher(app.db, other)
  const limited = await seedKey(app.db, { siteIds: [mine] })

  expect(await list(other)).toHaveLength(1)
  expect(await list(other, limited.key)).toEqual([])
  expect(await list(mine, limited.key)).toHaveLength(1)
})

test('a write key may read', async () => {
  const site = await seedSite(app.db)
  await seedVoucher(app.db, site)

  expect(await list(site, (await seedKey(app.db, { scope: 'write' })).key)).toHaveLength(1)
})

const past = new Date(Date.now() - 60_000)
const future = new Date(Date.now() + 3_600_000)

test.each([
  { recorded: 'valid', expiresAt: null, listed: 'valid' },
  { recorded: 'valid', expiresAt: future, listed: 'valid' },
  { recorded: 'valid', expiresAt: past, listed: 'expired' },
  { recorded: 'used', expiresAt: future, listed: 'used' },
  { recorded: 'used', expiresAt: past, listed: 'used' },
  { recorded: 'expired', expiresAt: past, listed: 'expired' },
  { recorded: 'revoked', expiresAt: past, listed: 'revoked' },
  { recorded: 'revoked', expiresAt: null, listed: 'revoked' },
])('status: recorded $recorded, expires $expiresAt: listed as $listed', async ({ recorded, expiresAt, listed }) => {
  const site = await seedSite(app.db)
  await seedVoucher(app.db, site, { status: recorded, expiresAt })

  expect(await list(site)).toMatchObject([{ status: listed }])
})

test('a valid voucher whose expires_at passes is expired in the next list, also from the cache', async () => {
  const site = await seedSite(app.db)
  const expiresAt = new Date(Date.now() + 2_500)
  await seedVoucher(app.db, site, { expiresAt })

  expect(await list(site)).toMatchObject([{ status: 'valid' }])
  expect(await list(site)).toMatchObject([{ status: 'valid' }])
  await wait(expiresAt.getTime() - Date.now() + 5)
  expect(await list(site)).toMatchObject([{ status: 'expired' }])
})

test.each(['insert', 'update', 'delete'])('an %s is in the next list, not a cached one', async (change) => {
  const site = await seedSite(app.db)
  await seedVoucher(app.db, site, { code: 'before' })
  await list(site)
  await list(site)

  if (change === 'insert') await seedVoucher(app.db, site, { code: 'after' })
  if (change === 'update') await app.db.query(`update vouchers set status = 'used' where site_id = $1`, [site])
  if (change === 'delete') await app.db.query(`delete from vouchers where site_id = $1`, [site])

  const codes = (await list(site)).map((voucher: any) => `${voucher.voucher_code} ${voucher.status}`)
  expect(codes).toEqual({ insert: ['after valid', 'before valid'], update: ['before used'], delete: [] }[change])
})
