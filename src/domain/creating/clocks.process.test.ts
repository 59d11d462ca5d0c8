import { afterEach, expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey } from '#test/data/seed.ts'
import { startDateProxy } from '#test/network/proxies.ts'
import { dialects, startSimulatorProcess } from '#test/network/simulator.ts'
import { prepareSites, type SiteInTrouble } from '#test/site-in-trouble.ts'
import { findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'

const app = await startApp()
// The simulators are processes of their own, so their clock stays right when the clock of this process is wrong.
const start = await prepareSites(app, startSimulatorProcess)
const { key } = await seedKey(app.db, { scope: 'write' })
const onIntegration = dialects[0] as (typeof dialects)[0]

/** Makes the machine's clock wrong for this process, which includes the service. */
function setMachineClock(aheadMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + aheadMs)
}
afterEach(() => void vi.useRealTimers())

/** Loses the answer to a creation. The voucher must be found, and a repeat must not make a second one. */
async function expectOneVoucher(one: SiteInTrouble, settle = one.settle): Promise<void> {
  await one.simulator.fault('created-then-reset')
  await one.create('k')
  await settle()
  await one.age(121)
  await settle()
  const again = await one.create('k')

  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
  expect(await one.onController()).toEqual([again.json().code])
}

test.each(dialects)('$dialect: a worker whose clock is wrong by a minute finds the lost voucher', async (dialect) => {
  for (const aheadMs of [-60_000, 60_000]) {
    const one = await start(dialect)
    await expectOneVoucher(one, async () => {
      setMachineClock(aheadMs)
      const settled = await one.settle()
      vi.useRealTimers()
      return settled
    })
  }
})

test.each(dialects)(
  '$dialect: a lost voucher is found behind a proxy with a wrong Date, even the first one',
  async (dialect) => {
    for (const aheadMs of [-60_000, 60_000]) {
      const one = await start({ ...dialect, behind: (url) => startDateProxy(url, aheadMs) })
      await app.db.query('update controllers set stamp_skew_ms = null')
      await expectOneVoucher(one)
    }
  },
)

test.each(dialects)(
  '$dialect: a lost voucher is found on a controller an hour wrong behind a proxy with a correct Date',
  async (dialect) => {
    for (const advanceSeconds of [-3_600, 3_600]) {
      const one = await start({ ...dialect, behind: (url) => startDateProxy(url, 0) })
      await one.simulator.clock({ advanceSeconds })
      await one.create('known', 'First')
      await expectOneVoucher(one)
    }
  },
)

test.each(dialects)(
  '$dialect: a lost voucher is found after the clock of its controller was corrected',
  async (dialect) => {
    const one = await start(dialect)
    await one.simulator.clock({ advanceSeconds: -3_600 })
    await one.create('known', 'First')
    await expectOneVoucher(one, async () => {
      await one.simulator.clock({ advanceSeconds: 3_600 })
      const settled = await one.settle()
      await one.simulator.clock({ advanceSeconds: -3_600 })
      return settled
    })
  },
)

type Found = { id: string; status: string; expires_at: string; first_used_at: string }

test.each(dialects)(
  '$dialect: a voucher in use is valid and can be revoked on a controller whose clock is an hour behind',
  async (dialect) => {
    const one = await start(dialect)
    await one.simulator.clock({ advanceSeconds: -3_600 })
    const body = JSON.stringify({ site_id: one.siteId, name: 'Three devices', max_uses: 3, expire_minutes: 30 })
    const { code } = (await app.call('/api/vouchers.php', { method: 'POST', key, body })).json()
    await one.simulator.redeem(code, 'aa:00:00:00:00:01')
    await one.sync()
    const lookup = `/api/v2/vouchers/lookup?site_id=${one.siteId}&code=${code}`
    const found: Found = (await app.call(lookup, { key })).json().vouchers[0]
    await app.call(`/api/v2/vouchers/${found.id}`, { method: 'DELETE', key })
    await one.withdraw()

    expect(found.status).toBe('valid')
    expect(Math.abs(Date.parse(found.first_used_at) - Date.now())).toBeLessThan(20_000)
    expect(Math.abs(Date.parse(found.expires_at) - Date.now() - 30 * 60_000)).toBeLessThan(20_000)
    expect(await one.onController()).toEqual([])
    expect((await app.call(lookup, { key })).json().vouchers).toMatchObject([{ status: 'revoked' }])
  },
)

test('an api whose clock is two hours ahead accepts a valid_until in 30 minutes', async () => {
  const one = await start(dialects[0] as (typeof dialects)[0])
  const validUntil = new Date(Date.now() + 30 * 60_000).toISOString()
  const body = JSON.stringify({ site_id: one.siteId, name: 'Until', valid_until: validUntil })
  setMachineClock(2 * 3_600_000)
  const created = await app.call('/api/v2/vouchers', { method: 'POST', key, body })

  expect(created.status).toBe(201)
  expect(created.json()).toMatchObject({ valid_until: validUntil, expire_minutes: expect.closeTo(29, -0.5) })
})

test.each(dialects)(
  '$dialect: repeated syncs change nothing in the record when the clock of the controller is wrong',
  async (dialect) => {
    for (const advanceSeconds of [-3_600, 3]) {
      const one = await start(dialect)
      await one.simulator.clock({ advanceSeconds })
      const { code } = (await one.create('used')).json()
      await one.simulator.redeem(code, 'aa:00:00:00:00:01')
      const recorded: unknown[] = []
      for (let syncs = 0; syncs < 4; syncs++) {
        await one.sync()
        const { rows } = await app.db.query(
          `select v.xmin, v.expires_at, s.version from vouchers v join site_versions s using (site_id)
            where site_id = $1 and code = $2`,
          [one.siteId, code],
        )
        recorded.push(...rows)
        await new Promise((resolve) => setTimeout(resolve, 350))
      }

      expect(new Set(recorded.map((row) => JSON.stringify(row))).size).toBe(1)
    }
  },
)

test('a clock difference that one creation measured is not undone by a creation that began earlier', async () => {
  const one = await start({ ...onIntegration, behind: (url) => startDateProxy(url, 0) })
  await one.simulator.clock({ advanceSeconds: 3_600 })
  const before = await findSiteOnController(app.db, one.siteId)
  const skew = async () => {
    const { rows } = await app.db.query<{ ms: number }>('select stamp_skew_ms as ms from controllers where id = $1', [
      before?.controllerId,
    ])
    return rows[0]?.ms
  }
  const slowCreation = async (idempotencyKey: string, meanwhile: () => unknown) => {
    await one.simulator.fault('slow', { delayMs: 1_000 })
    const slow = one.create(idempotencyKey, idempotencyKey)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await meanwhile()
    expect((await slow).status).toBe(201)
    return skew()
  }
  const hour = expect.closeTo(3_600_000, -4)

  expect(await slowCreation('slow-1', () => one.create('fast', 'Fast'))).toEqual(hour)
  expect(await slowCreation('slow-2', () => app.context.controllers.connectionOf(before as SiteOnController))).toEqual(
    hour,
  )
})
