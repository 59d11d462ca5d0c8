import { beforeEach, describe, expect, test } from 'vitest'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedSite, seedVoucher } from '#test/data/seed.ts'
import { timeLimit } from '#test/measuring.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })

type Found = {
  id: string
  status: string
  used_count: number
  name: string
  site_id: number
  expires_at: string | null
}
type Answer = {
  vouchers: Found[]
  on_controller_only: { site_id: number; status: string }[]
  fresh: boolean
  synced_at: string | null
}

async function lookUp(query: Record<string, string | number | boolean>, by = key): Promise<Answer> {
  const answer = await app.call(`/api/v2/vouchers/lookup?${new URLSearchParams(query as Record<string, string>)}`, {
    key: by,
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.json()
}

describe('from the record', () => {
  const past = new Date(Date.now() - 60_000)
  let site: number
  let other: number

  beforeEach(async () => {
    await app.db.query('delete from vouchers')
    site = await seedSite(app.db)
    other = await seedSite(app.db)
  })

  test.each(['4861409510', '48614-09510', '48614 09510', ' 486-140 9510-'])('finds %s', async (code) => {
    await seedVoucher(app.db, site, { code: '4861409510' })

    const { vouchers, ...rest } = await lookUp({ code, site_id: site })
    expect(vouchers).toMatchObject([{ code: '4861409510', site_id: site }])
    expect(rest).toEqual({ on_controller_only: [], fresh: false, synced_at: null })
  })

  test('an empty list for a part of the code, another code, and the code of another site', async () => {
    await seedVoucher(app.db, site, { code: '4861409510' })
    await seedVoucher(app.db, other, { code: '1234567890' })

    for (const code of ['48614', '48614095100', '1234567890'])
      expect((await lookUp({ code, site_id: site })).vouchers).toEqual([])
  })

  test('several vouchers with the code: the valid ones first, then the newest', async () => {
    const add = (name: string, at: number, change = {}, at_site = site) =>
      seedVoucher(app.db, at_site, { code: '4861409510', name, createdAt: new Date(at), ...change })
    await add('valid', 1000)
    await add('over', 2000, { expiresAt: past })
    await add('revoked', 3000, { status: 'revoked' })
    await add('elsewhere', 500, {}, other)
    const names = async (query: object) =>
      (await lookUp({ code: '48614-09510', ...query })).vouchers.map(({ name }) => name)

    expect(await names({ site_id: site })).toEqual(['valid', 'revoked', 'over'])
    expect(await names({})).toEqual(['valid', 'elsewhere', 'revoked', 'over'])
  })

  test('without site_id, only the sites of the key are searched, and synced_at is their oldest sync', async () => {
    for (const id of [site, other]) await seedVoucher(app.db, id, { code: '4861409510' })
    await app.db.query(`update sites set synced_at = '2026-11-14T12:00:00Z' where id = $1`, [site])
    await app.db.query(`update sites set synced_at = '2026-11-14T11:00:00Z' where id = $1`, [other])
    const limited = (await seedKey(app.db, { siteIds: [site] })).key

    expect(await lookUp({ code: '4861409510' }, limited)).toMatchObject({
      vouchers: [{ site_id: site }],
      synced_at: '2026-11-14T12:00:00.000Z',
    })
    expect((await lookUp({ code: '4861409510' })).synced_at).toBe('2026-11-14T11:00:00.000Z')
    await app.db.query(`update sites set synced_at = null where id = $1`, [other])
    expect((await lookUp({ code: '4861409510' })).synced_at).toBeNull()
  })
})

describe.each(dialects)('fresh, $dialect', ({ driver, flavour }) => {
  async function start(change: { adopts?: boolean } = {}) {
    const simulator = await startSimulator('--flavour', flavour)
    const site = await seedControlledSite(app.db, simulator, { driver })
    await app.db.query(`update sites set adopts_vouchers = $2, next_sync_at = now() + interval '1 day' where id = $1`, [
      site,
      change.adopts ?? false,
    ])
    const create = async (body = {}) => {
      const asked = { site_id: site, name: 'Gast', max_uses: 2, expire_minutes: 60, ...body }
      return (await app.call('/api/v2/vouchers', { method: 'POST', key, body: JSON.stringify(asked) })).json()
    }
    const recorded = async (id: string) => (await app.call(`/api/v2/vouchers/${id}`, { key })).json()
    return { simulator, site, create, recorded }
  }

  test('a use and a deletion on the controller are shown at once, and recorded', async () => {
    const { simulator, site, create, recorded } = await start()
    const { id, code } = await create()
    await simulator.redeem(code)
    expect((await lookUp({ code })).vouchers).toMatchObject([{ used_count: 0 }])

    const used = await lookUp({ code, fresh: true })
    expect(used).toMatchObject({ vouchers: [{ id, status: 'valid', used_count: 1 }], fresh: true })
    expect(used.vouchers).toEqual([await recorded(id)])
    expect(Date.now() - Date.parse(used.synced_at as string)).toBeLessThan(20_000)
    await simulator.deleteVoucher(code)
    expect(await lookUp({ code, site_id: site, fresh: true })).toMatchObject({ vouchers: [{ id, status: 'revoked' }] })
    expect(await recorded(id)).toMatchObject({ status: 'revoked' })
    await syncSite(app.context, site)
    expect(await recorded(id)).toMatchObject({ status: 'revoked', used_count: 1 })
  })

  test('other vouchers of the site stay as they are, and one call is made', async () => {
    const { simulator, create, recorded } = await start()
    const [one, two] = [await create(), await create()]
    await simulator.redeem(two.code)
    await simulator.forget()
    await lookUp({ code: one.code, fresh: true })

    expect(await recorded(two.id)).toMatchObject({ used_count: 0, status: 'valid' })
    expect((await simulator.requests()).length).toBe(1)
  })

  test('a code that was made on the controller: adopted if the site adopts, otherwise only reported', async () => {
    const [adopting, strict] = [await start({ adopts: true }), await start()]
    for (const { simulator } of [adopting, strict])
      await simulator.addVoucher({ internalReference: 'default', code: '1234509876', name: 'By hand' })

    expect(await lookUp({ code: '12345-09876', site_id: strict.site, fresh: true })).toMatchObject({
      vouchers: [],
      on_controller_only: [{ site_id: strict.site, status: 'valid' }],
      fresh: true,
    })
    expect(await lookUp({ code: '12345-09876', site_id: adopting.site, fresh: true })).toMatchObject({
      vouchers: [{ site_id: adopting.site, status: 'valid' }],
      on_controller_only: [],
      fresh: true,
    })
    expect((await lookUp({ code: '00000-00000', site_id: strict.site, fresh: true })).fresh).toBe(true)
  })

  test('a reused code: the voucher that is gone is revoked, the new one is valid', async () => {
    const { simulator, site, create } = await start()
    const first = await create()
    await simulator.deleteVoucher(first.code)
    await simulator.giveCodes([first.code])
    const second = await create()

    expect(second.code).toBe(first.code)
    const { vouchers } = await lookUp({ code: first.code, site_id: site, fresh: true })
    expect(vouchers.map(({ id, status }) => [id, status])).toEqual([
      [second.id, 'valid'],
      [first.id, 'revoked'],
    ])
  })

  test('a hung controller: an answer from the record within 3 s, and the slots are free again', async () => {
    const { simulator, site, create } = await start()
    const { id, code } = await create()
    await syncSite(app.context, site)
    await simulator.fault('hang-before', { on: 'list', times: 3 })
    const startedAt = Date.now()
    const answers = await Promise.all([1, 2, 3].map(() => lookUp({ code, fresh: true })))

    expect(Date.now() - startedAt).toBeLessThan(timeLimit(3_000))
    for (const answer of answers) {
      expect(answer).toMatchObject({ vouchers: [{ id, status: 'valid' }], fresh: false })
      expect(answer.synced_at).toEqual(expect.any(String))
    }
    await simulator.forgetFaults()
    expect((await create()).status).toBe('valid')
    expect(await lookUp({ code, fresh: true })).toMatchObject({ fresh: true })
    const { rows } = await app.db.query(
      'select 1 from controller_outages o join sites s using (controller_id) where s.id = $1',
      [site],
    )
    expect(rows).toEqual([])
  })

  test.each(['server-error', 'gateway-html', 'reset', 'truncated', 'forbidden', 'too-many'])(
    'fault %s: an answer from the record, and nothing changes in it',
    async (kind) => {
      const { simulator, create } = await start()
      const { id, code } = await create()
      await simulator.fault(kind, { on: 'list' })

      expect(await lookUp({ code, fresh: true })).toMatchObject({ vouchers: [{ id, status: 'valid' }], fresh: false })
    },
  )

  test('a controller that is out of reach, and an inactive site, are not asked', async () => {
    const { simulator, site, create } = await start()
    const { code } = await create()
    await simulator.forget()
    await app.db.query(`insert into controller_outages (controller_id) select controller_id from sites where id = $1`, [
      site,
    ])
    expect(await lookUp({ code, fresh: true })).toMatchObject({ vouchers: [{ status: 'valid' }], fresh: false })
    await app.db.query('delete from controller_outages')
    await app.db.query('update sites set active = false where id = $1', [site])
    expect(await lookUp({ code, fresh: true })).toMatchObject({ vouchers: [{ status: 'valid' }], fresh: false })

    expect(await simulator.requests()).toEqual([])
  })
})

test('fresh with vouchers on two sites: fresh only if both controllers answer', async () => {
  const simulators = [await startSimulator(), await startSimulator()] as const
  const sites = [await seedControlledSite(app.db, simulators[0]), await seedControlledSite(app.db, simulators[1])]
  for (const [i, simulator] of simulators.entries()) {
    await simulator.giveCodes(['7777700000'])
    const body = JSON.stringify({ site_id: sites[i], name: 'Gast' })
    await app.call('/api/v2/vouchers', { method: 'POST', key, body })
  }

  expect(await lookUp({ code: '7777700000', fresh: true })).toMatchObject({ vouchers: [{}, {}], fresh: true })
  await simulators[0].deleteVoucher('7777700000')
  await simulators[1].fault('reset', { on: 'list' })
  const partly = await lookUp({ code: '7777700000', fresh: true })
  expect(partly.fresh).toBe(false)
  expect(partly.vouchers.map(({ site_id, status }) => [site_id, status])).toEqual([
    [sites[1], 'valid'],
    [sites[0], 'revoked'],
  ])
})

test('lookups leave a background slot of their controller free', async () => {
  const { inLookUp, inBackground } = app.context.controllers
  const { promise: end, resolve } = Promise.withResolvers<void>()
  let running = 0
  const looking = [1, 2, 3].map(() =>
    inLookUp('a controller', () => {
      running += 1
      return end
    }),
  )
  const waited = await inBackground('a controller', async (hadToWait) => hadToWait)

  expect([running, waited]).toEqual([1, false])
  resolve()
  await Promise.all(looking)
  expect(running).toBe(3)
})

test('waiting for two slots, one after the other, does not take longer than 3 s', async () => {
  const site = await seedControlledSite(app.db, await startSimulator())
  const { rows } = await app.db.query('select controller_id as id from sites where id = $1', [site])
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const held = [1, 2].map(() => app.context.controllers.inBackground(rows[0]?.id, () => end))
  const first = lookUp({ code: '1', site_id: site, fresh: true })
  await new Promise((later) => setTimeout(later, 100))
  const startedAt = Date.now()

  expect(await lookUp({ code: '2', site_id: site, fresh: true })).toMatchObject({ vouchers: [], fresh: false })
  expect(Date.now() - startedAt).toBeLessThan(timeLimit(3_000))
  resolve()
  await Promise.all([first, ...held])
})
