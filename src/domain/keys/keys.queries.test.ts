import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createCalendar, machineClock } from '#lib/clock.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey, seedSite, seedVoucher, testActor } from '#test/data/seed.ts'
import { importKey, revokeKey } from './administer-keys.ts'
import { sha256Of } from './key.ts'
import { countKeyUsage } from './key-usage.ts'
import { type AuthenticatedKey, findKeysWithListVersions, listKeys } from './keys.queries.ts'

const db = await createTestDatabase()
async function findWith(prefix: string, siteId: number | null): Promise<AuthenticatedKey> {
  const [found] = await findKeysWithListVersions(db, [{ prefix, siteId }])
  return found as AuthenticatedKey
}
const whole = { name: 'Check-in', scope: 'write', rateLimit: 60, siteIds: undefined, expiresAt: null } as const

test('a key is found with its whole row and the version of the site', async () => {
  const site = await seedSite(db)
  const key = await seedKey(db, whole)
  const before = await findWith(key.prefix, site)
  await seedVoucher(db, site)
  const once = await findWith(key.prefix, site)
  await seedVoucher(db, site)
  const twice = await findWith(key.prefix, site)

  expect(before).toEqual({
    id: key.id,
    name: 'Check-in',
    prefix: key.prefix,
    sha256: sha256Of(key.key),
    scope: 'write',
    rateLimit: 60,
    allSites: true,
    live: true,
    mayUseSite: true,
    vouchersPerDay: null,
    longestMinutes: null,
    listVersion: null,
    namesVersion: null,
    now: expect.any(Date),
  })
  expect([once.listVersion, twice.listVersion]).toEqual([expect.any(String), expect.any(String)])
  expect(once.listVersion).not.toBe(twice.listVersion)
  expect(await findWith('vsk_unknown0', site)).toMatchObject({
    live: false,
    sha256: Buffer.alloc(32),
  })
})

test('several keys are found in the order in which they are wanted, each with the version of its own site', async () => {
  const [one, two] = [await seedSite(db), await seedSite(db)]
  const [first, second] = [await seedKey(db), await seedKey(db, { siteIds: [two] })]
  for (const site of [one, two]) await seedVoucher(db, site)
  const wanted = [
    { prefix: second.prefix, siteId: two },
    { prefix: 'vsk_unknown0', siteId: one },
    { prefix: first.prefix, siteId: one },
    { prefix: second.prefix, siteId: one },
  ]

  const found = await findKeysWithListVersions(db, wanted)

  expect(found.map(({ prefix, live, mayUseSite }) => [prefix, live, mayUseSite])).toEqual([
    [second.prefix, true, true],
    ['vsk_unknown0', false, true],
    [first.prefix, true, true],
    [second.prefix, true, false],
  ])
  const versions = found.map(({ listVersion }) => listVersion)
  expect(versions).toEqual([versions[0], versions[1], versions[1], versions[1]])
  expect(versions[0]).not.toBe(versions[1])
})

test('one statement over several sites moves the version of each, and of no other', async () => {
  const [one, two, other] = [await seedSite(db), await seedSite(db), await seedSite(db)]
  const { prefix } = await seedKey(db)
  for (const site of [one, one, two]) await seedVoucher(db, site)
  await seedVoucher(db, other)
  const version = async (site: number) => (await findWith(prefix, site)).listVersion
  const versions = async () => [await version(one), await version(two), await version(other)]
  const before = await versions()

  await db.query('update vouchers set used_count = 1 where site_id = any($1)', [[one, two]])
  const after = await versions()
  await db.query('update vouchers set used_count = 2 where false')

  expect(after.map((each, i) => each !== before[i])).toEqual([true, true, false])
  expect(await versions()).toEqual(after)
})

test('a voucher moved to another site moves both versions; emptying the table moves all', async () => {
  const [from, to] = [await seedSite(db), await seedSite(db)]
  const { prefix } = await seedKey(db)
  const versions = async () => [await findWith(prefix, from), await findWith(prefix, to)].map((key) => key.listVersion)
  await seedVoucher(db, from)
  const before = await versions()
  await db.query('update vouchers set site_id = $2 where site_id = $1', [from, to])
  const moved = await versions()
  await db.query('truncate vouchers')
  const emptied = await versions()

  expect(new Set([...before, ...moved, ...emptied]).size).toBe(6) // null before the first voucher
})

test('a key limited to some sites may use only those', async () => {
  const [mine, other] = [await seedSite(db), await seedSite(db)]
  const key = await seedKey(db, { siteIds: [mine] })

  expect(await findWith(key.prefix, mine)).toMatchObject({ allSites: false, mayUseSite: true })
  expect(await findWith(key.prefix, other)).toMatchObject({ mayUseSite: false })
  expect(await findWith(key.prefix, null)).toMatchObject({ mayUseSite: false })
})

test('a key for a site that does not exist is not created', async () => {
  const before = (await listKeys(db)).length

  await expect(seedKey(db, { siteIds: [2_000_000_000] })).rejects.toMatchObject({
    code: 'site_not_found',
    details: { ids: '2000000000' },
  })
  expect(await listKeys(db)).toHaveLength(before)
})

test('listKeys returns whole rows without the hash', async () => {
  const site = await seedSite(db)
  const expiresAt = new Date('2127-01-01T00:00:00Z')
  const { key, ...created } = await seedKey(db, { ...whole, siteIds: [site], expiresAt })

  expect((await listKeys(db)).at(-1)).toEqual(created)
  expect(created).toEqual({
    id: expect.any(String),
    name: 'Check-in',
    prefix: key.slice(0, 12),
    scope: 'write',
    rateLimit: 60,
    allSites: false,
    expiresAt,
    revokedAt: null,
    vouchersPerDay: null,
    longestMinutes: null,
    lastUsedAt: null,
    createdAt: expect.any(Date),
    siteIds: [site],
    oldSecrets: [],
  })
})

test('revoking by prefix or id keeps the first time; an unknown key is rejected; both are audited', async () => {
  const key = await seedKey(db)

  const first = await revokeKey(db, testActor, key.prefix)
  const again = await revokeKey(db, testActor, key.id)

  expect(first.revokedAt).toEqual(expect.any(Date))
  expect(again.revokedAt).toEqual(first.revokedAt)
  await expect(revokeKey(db, testActor, 'vsk_unknown0')).rejects.toMatchObject({
    code: 'key_not_found',
    details: { named: 'vsk_unknown0' },
  })
  const { rows } = await db.query<{ action: string }>('select action from audit where target_id = $1 order by id', [
    key.id,
  ])
  expect(rows.map(({ action }) => action)).toEqual(['key.created', 'key.revoked', 'key.revoked'])
})

test('a whole key can be used to revoke it; the error for an unknown one has only its prefix', async () => {
  const key = await seedKey(db)

  expect((await revokeKey(db, testActor, key.key)).id).toBe(key.id)
  await expect(revokeKey(db, testActor, `${key.key}x`)).rejects.toMatchObject({
    code: 'key_not_found',
    details: { named: key.key.slice(0, 12) },
  })
})

test.each(['', ' ', 'a\nb', 'a\u202eb', 'x'.repeat(201)])('the name %j is rejected', async (name) => {
  await expect(seedKey(db, { name })).rejects.toThrow('display_name_invalid')
})

test('an imported key needs a valid prefix that is neither taken nor reserved', async () => {
  const known = { prefix: 'abc_12345678', sha256: sha256Of('abc_12345678secret') }

  await importKey(db, testActor, whole, known)

  await expect(importKey(db, testActor, whole, known)).rejects.toThrow('key_prefix_taken')
  await expect(importKey(db, testActor, whole, { ...known, prefix: 'vsk_12345678' })).rejects.toThrow(
    'key_prefix_reserved',
  )
  for (const prefix of ['abc', 'abc_1234567', 'abc_123456789', '_12345678']) {
    await expect(importKey(db, testActor, whole, { ...known, prefix })).rejects.toThrow('key_prefix_invalid')
  }
})

test('usage that could not be written is kept for the next time', async () => {
  const key = await seedKey(db)
  let broken = true
  const flaky: Queryable = {
    query: (text, values) => (broken ? Promise.reject(new Error('lost')) : db.query(text, values)),
  }
  const usage = countKeyUsage({ db: flaky, clock: machineClock, today: createCalendar('UTC') }, () => {})

  usage.count(key, true)
  await expect(usage.flush()).rejects.toThrow('lost')
  usage.count(key, true)
  broken = false
  await usage.stop()

  const { rows } = await db.query('select requests::integer from api_key_days where api_key_id = $1', [key.id])
  expect(rows).toEqual([{ requests: 2 }])
})

test('usage is counted in memory and added to the day', async () => {
  const key = await seedKey(db)
  const usage = countKeyUsage({ db, clock: machineClock, today: createCalendar('UTC') }, () => {})
  const totals = async () =>
    (await db.query(`select requests::integer, limited::integer from api_key_days where api_key_id = $1`, [key.id]))
      .rows

  usage.count(key, true)
  usage.count(key, false)
  expect(await totals()).toEqual([])
  await usage.flush()
  usage.count(key, true)
  await usage.stop()

  expect(await totals()).toEqual([{ requests: 3, limited: 1 }])
  expect((await listKeys(db)).find(({ id }) => id === key.id)?.lastUsedAt).toEqual(expect.any(Date))
})

test('a key with the scope manage must expire; the database checks it too', async () => {
  const { id } = await seedKey(db, { scope: 'manage' })

  await expect(seedKey(db, { scope: 'manage', expiresAt: null })).rejects.toMatchObject({ code: 'key_expiry_required' })
  await expect(db.query('update api_keys set expires_at = null where id = $1', [id])).rejects.toMatchObject({
    constraint: 'api_keys_manage_expires',
  })
})
