import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { type SeedVoucher, seedKey, seedManyVouchers, seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'

const app = await startApp()
const { key } = await seedKey(app.db)
const site = await seedSite(app.db)
const other = await seedSite(app.db)
const { session } = await seedPerson(app.db, { siteIds: [site] })
const hour = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * hour)

beforeEach(async () => {
  await app.db.query('truncate vouchers')
})

const seed = (name: string, voucher: SeedVoucher = {}, at = site) => seedVoucher(app.db, at, { name, ...voucher })
const pathOf = (name: string, siteId = site) =>
  `/api/v2/vouchers/by-name?${new URLSearchParams({ site_id: String(siteId), name })}`

async function find(name: string): Promise<{ names: string[]; more: number }> {
  const answer = await app.call(pathOf(name), { session })
  expect(answer.status, answer.text).toBe(200)
  return { names: answer.json().vouchers.map((voucher: any) => voucher.name), more: answer.json().more }
}

test('vouchers that work come first, then the exact name, then its beginning, then later words; those that ended are last', async () => {
  await seed('Fam', { createdAt: ago(5) })
  await seed('Familie Huber', { createdAt: ago(2) })
  await seed('Familie Kern', { createdAt: ago(1), status: 'used', usedCount: 1, expiresAt: ago(-3) })
  await seed('Fam', { createdAt: ago(0), status: 'expired', expiresAt: ago(0.5) })
  await seed('Herr Fam', { createdAt: ago(0) })

  expect(await find('Fam')).toEqual({ names: ['Fam', 'Familie Kern', 'Familie Huber'], more: 2 })
  expect(await find('Familie')).toEqual({ names: ['Familie Kern', 'Familie Huber'], more: 0 })
  expect(await find('Familie K')).toEqual({ names: ['Familie Kern'], more: 0 })
  expect(await find('amilie')).toEqual({ names: [], more: 0 })
})

test('a voucher is found for seven days after its end, whether it expired, was used up or was revoked', async () => {
  const day = 24
  const recorded = async (name: string, voucher: SeedVoucher, ends: { valid_until?: Date; revoked_at?: Date } = {}) => {
    const id = await seed(name, { createdAt: ago(30 * day), ...voucher })
    await app.db.query('update vouchers set valid_until = $2, revoked_at = $3 where id = $1', [
      id,
      ends.valid_until ?? null,
      ends.revoked_at ?? null,
    ])
  }
  await recorded('Ende 1', { status: 'expired', expiresAt: ago(6 * day) })
  await recorded('Ende 2', { status: 'used', expiresAt: ago(6 * day), createdAt: ago(29 * day) })
  await recorded('Ende 3', { status: 'revoked', createdAt: ago(28 * day) }, { revoked_at: ago(6 * day) })
  await recorded('Ende 4', { status: 'expired', expiresAt: ago(8 * day) })
  await recorded('Ende 5', { status: 'used', expiresAt: ago(8 * day) })
  await recorded('Ende 6', { status: 'revoked' }, { revoked_at: ago(8 * day) })
  await recorded('Ende 7', { createdAt: ago(40 * day) }, { valid_until: ago(8 * day) })

  expect(await find('Ende')).toEqual({ names: ['Ende 3', 'Ende 2', 'Ende 1'], more: 0 })
})

test.each([
  ['FAMILIE', 'Familie Müller'],
  ['familie mü', 'Familie Müller'],
  ['FAMILIE MÜ', 'Familie Müller'],
  ['öZ', 'Özgür'],
  ['李娜', '李娜 Zimmer 3'],
  ['🎉🎉', '🎉🎉 Fest'],
  ['100%', '100% Rabatt'],
  ['a_b', 'A_B Tagung'],
  ['\\x', '\\x Test'],
  ['müll', 'Fam. Müller'],
  ['dvo', 'Zimmer 202,Dvořák'],
  ['202, d', 'Zimmer 202, Dvořák'],
  ['lüd', 'Frau Meyer-Lüdenscheidt'],
])('%s finds %s', async (typed, name) => {
  await seed(name)
  await seed('Axb')
  await seed('1000')

  expect(await find(typed)).toEqual({ names: [name], more: 0 })
})

test.each(['%%', '__', 'Fa%', 'F_m', '%m', '\\%'])('%s is no wildcard', async (typed) => {
  await seed('Familie Huber')

  expect(await find(typed)).toEqual({ names: [], more: 0 })
})

test('the name has no date, even if the controller has one', async () => {
  await seed('2026-11-15_Familie Huber')

  expect(await find('fam')).toEqual({ names: ['Familie Huber'], more: 0 })
  expect(await find('2026')).toEqual({ names: [], more: 0 })
})

test('only vouchers of the site, and only for people and keys of the site', async () => {
  await seed('Familie Huber')
  await seed('Familie Kern', {}, other)
  const limited = await seedKey(app.db, { siteIds: [site] })

  expect((await find('Fam')).names).toEqual(['Familie Huber'])
  expect((await app.call(pathOf('Fam', other), { key })).json().vouchers).toMatchObject([{ name: 'Familie Kern' }])
  expect((await app.call(pathOf('Fam', other), { session })).status).toBe(404)
  expect((await app.call(pathOf('Fam', other), { key: limited.key })).status).toBe(404)
})

test.each(['', 'F', 'F\u0000'])('400 for %j', async (name) => {
  expect((await app.call(pathOf(name), { key })).status).toBe(400)
})

describe('a name that 3,000 vouchers have', () => {
  test('the newest that work are found, and the number of further ones ends at 100', async () => {
    await seedManyVouchers(app.db, site, 3_000)
    await seed('Gast neu')
    await seed('Gast alt', { createdAt: ago(24 * 365) })

    expect(await find('Ga')).toEqual({ names: ['Gast neu', 'Gast 1', 'Gast 2'], more: 100 })
    expect(await find('Gast a')).toEqual({ names: ['Gast alt'], more: 0 })
  })

  test('an exact name is found although many newer names begin with it', async () => {
    await seedManyVouchers(app.db, site, 3_000)
    await seed('Gast', { createdAt: ago(24 * 365) })

    expect((await find('gast')).names).toEqual(['Gast', 'Gast 1', 'Gast 2'])
  })

  test('vouchers that work are found although more than 1,000 of this name ended long ago', async () => {
    await seedManyVouchers(app.db, site, 1_500)
    await app.db.query(`update vouchers set status = 'expired', expires_at = now() - interval '30 days'`)
    await seed('Gast wieder da', { createdAt: ago(1) })
    await seed('Gast mit Gerät', { createdAt: ago(2), status: 'used', usedCount: 1, expiresAt: ago(-5) })

    expect(await find('Gast')).toEqual({ names: ['Gast wieder da', 'Gast mit Gerät'], more: 0 })
  })
})
