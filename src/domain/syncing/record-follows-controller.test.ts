import { expect, test } from 'vitest'
import { type Database, Unavailable } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'
import { syncSite } from './sync-site.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })
const day = 24 * 60 * 60

/** Makes a site on its own controller, whose clock the test may change. */
async function start({ driver, flavour }: (typeof dialects)[0]) {
  const simulator = await startSimulator('--flavour', flavour)
  const siteId = await seedControlledSite(app.db, simulator, { driver })
  const list = async () => (await app.call(`/api/vouchers.php?site_id=${siteId}`, { key })).json().vouchers as Listed[]
  return {
    simulator,
    siteId,
    sync: () => syncSite(app.context, siteId),
    list,
    listed: async (code: string) => (await list()).find(({ voucher_code }) => voucher_code === code),
    async create(change: object = {}): Promise<string> {
      const body = JSON.stringify({ site_id: siteId, name: 'Gast', max_uses: 1, expire_minutes: 60, ...change })
      const answer = await app.call('/api/vouchers.php', { method: 'POST', key, body })
      expect(answer.status).toBe(201)
      return answer.json().code
    },
  }
}

type Listed = { voucher_code: string; status: string; used_count: number; expires_at: string | null }

test.each(dialects)('$dialect: a voucher that was not used for a year is valid and has no end', async (dialect) => {
  const { simulator, create, sync, listed } = await start(dialect)
  const code = await create()
  await simulator.clock({ advanceSeconds: 365 * day })
  await sync()

  expect(await listed(code)).toMatchObject({ status: 'valid', used_count: 0, expires_at: null })
})

test.each(dialects)('$dialect: the first use starts the time of a voucher, the last makes it used', async (dialect) => {
  const { simulator, create, sync, listed } = await start(dialect)
  const code = await create({ max_uses: 2 })
  await simulator.redeem(code, 'aa:00:00:00:00:01')
  const redeemedAt = Date.now()
  await sync()
  const once = await listed(code)
  await simulator.redeem(code, 'aa:00:00:00:00:02')
  await sync()

  expect(once).toMatchObject({ status: 'valid', used_count: 1 })
  expect(Math.abs(new Date(once?.expires_at as string).getTime() - redeemedAt - 60 * 60_000)).toBeLessThan(60_000)
  expect(await listed(code)).toMatchObject({ status: 'used', used_count: 2, expires_at: once?.expires_at })
})

test.each(dialects)('$dialect: a voucher that expires between two syncs is listed as expired', async (dialect) => {
  const { simulator, create, sync, listed } = await start(dialect)
  const code = await create({ max_uses: 5, expire_minutes: 1 })
  await simulator.clock({ advanceSeconds: -54 })
  await simulator.redeem(code) // 54 seconds ago, once the clock is right again
  await simulator.clock({ advanceSeconds: 54 })
  await sync()
  const before = await listed(code)
  await new Promise((resolve) => setTimeout(resolve, new Date(before?.expires_at as string).getTime() - Date.now() + 5))

  expect(before?.status).toBe('valid')
  expect(await listed(code)).toMatchObject({ status: 'expired', expires_at: before?.expires_at })
  await simulator.clock({ advanceSeconds: 120 })
  await sync()
  expect(await listed(code)).toMatchObject({ status: 'expired', used_count: 1 })
})

test.each(dialects)('$dialect: a voucher becomes revoked when it is deleted on the controller', async (dialect) => {
  const { simulator, create, sync, listed } = await start(dialect)
  const [doomed, kept] = [await create(), await create()]
  await sync()
  await simulator.deleteVoucher(doomed)
  await sync()

  expect(await listed(doomed)).toMatchObject({ status: 'revoked' })
  expect(await listed(kept)).toMatchObject({ status: 'valid' })
})

test.each(dialects)(
  '$dialect: a used or expired voucher keeps its status when it is deleted on the controller',
  async (dialect) => {
    const { simulator, create, sync, listed } = await start(dialect)
    const [used, expired] = [await create(), await create({ max_uses: 5, expire_minutes: 1 })]
    await simulator.clock({ advanceSeconds: -3_600 })
    await simulator.redeem(expired)
    await simulator.clock({ advanceSeconds: 3_600 })
    await simulator.redeem(used)
    await sync()
    for (const code of [used, expired]) await simulator.deleteVoucher(code)
    await sync()

    expect([(await listed(used))?.status, (await listed(expired))?.status]).toEqual(['used', 'expired'])
  },
)

test.each(dialects)(
  '$dialect: a list that fails in any way changes no voucher',
  { timeout: 60_000 },
  async (dialect) => {
    const { simulator, create, sync, list, siteId } = await start(dialect)
    const code = await create()
    await create()
    await simulator.redeem(code)
    await sync()
    const before = await list()
    const faults = [
      'server-error',
      'gateway-html',
      'html-ok',
      'reset',
      'truncated',
      'deep',
      'forbidden',
      'not-found',
      'too-many',
    ]
    for (const [i, kind] of faults.entries()) {
      await simulator.fault(kind, { on: 'list' })
      await sync()
      expect(await list()).toEqual(before)
      const { rows } = await app.db.query('select sync_failure from sites where id = $1', [siteId])
      expect([kind, rows[0]?.sync_failure]).toEqual([kind, expect.any(String)])
      if (i % 3 === 2) await sync() // a successful sync in between keeps the breaker closed
    }
    await sync()
    const { rows } = await app.db.query('select sync_failure, sync_failing_since from sites where id = $1', [siteId])

    expect(rows).toEqual([{ sync_failure: null, sync_failing_since: null }])
    expect(await list()).toEqual(before)
  },
)

test.each(dialects)('$dialect: a voucher that is on the controller again is valid again', async (dialect) => {
  const { simulator, create, sync, listed } = await start(dialect)
  const code = await create()
  await simulator.fault('empty', { on: 'list' })
  await sync()
  expect(await listed(code)).toMatchObject({ status: 'revoked' })
  await sync()

  expect(await listed(code)).toMatchObject({ status: 'valid' })
})

test.each(dialects.slice(1))('$dialect: a used voucher that an old controller hides stays used', async (dialect) => {
  const { simulator, create, sync, listed } = await start(dialect)
  const [seenUsed, notSeenUsed] = [await create(), await create()]
  await sync()
  await simulator.redeem(seenUsed)
  await sync()
  expect(await listed(seenUsed)).toMatchObject({ status: 'used' })
  await simulator.behave({ oldController: true })
  await simulator.redeem(notSeenUsed)
  await sync()

  expect(await listed(seenUsed)).toMatchObject({ status: 'used', used_count: 1 })
  expect(await listed(notSeenUsed)).toMatchObject({ status: 'revoked' }) // used or deleted: nobody can tell
})

test.each(dialects)(
  '$dialect: vouchers that others made are recorded only if the site adopts vouchers',
  async (dialect) => {
    const { simulator, sync, list, siteId } = await start(dialect)
    await simulator.addVoucher({
      internalReference: 'default',
      name: 'By hand',
      timeLimitMinutes: 30,
      txRateLimitKbps: 64,
    })
    await sync()
    expect(await list()).toEqual([])
    await app.db.query('update sites set adopts_vouchers = true where id = $1', [siteId])
    await sync()
    await sync()

    expect(await list()).toMatchObject([{ voucher_name: 'By hand', expire_minutes: 30, status: 'valid' }])
  },
)

test.each(dialects)('$dialect: a voucher that an open creation may still claim is not adopted', async (dialect) => {
  const { simulator, create, sync, list, siteId } = await start(dialect)
  await create()
  await app.db.query('update sites set adopts_vouchers = true where id = $1', [siteId])
  await simulator.fault('created-then-reset')
  const body = JSON.stringify({ site_id: siteId, name: 'Lost', max_uses: 1, expire_minutes: 60 })
  const lost = await app.call('/api/vouchers.php', { method: 'POST', key, body })
  await sync()

  expect([lost.status, lost.headers['voucher-outcome']]).toEqual([500, 'unknown'])
  expect((await simulator.vouchers()).length).toBe(2)
  expect(await list()).toHaveLength(1)
})

test('changes by a sync are counted even if the sync fails afterwards', async () => {
  const { simulator, siteId, create, sync } = await start(dialects[0] as (typeof dialects)[0])
  const [redeemed, deleted] = [await create(), await create()]
  await simulator.redeem(redeemed, 'aa:00:00:00:00:01')
  await simulator.deleteVoucher(deleted)
  const failing = { ...app.context, db: failingAfter(app.context.db, 'update vouchers') }
  await expect(syncSite(failing, siteId)).rejects.toThrow('planted')
  await sync()

  const { rows } = await app.db.query('select redeemed, revoked from site_days where site_id = $1', [siteId])
  expect(rows).toEqual([{ redeemed: 1, revoked: 1 }])
})

/** A database connection that fails right after the first statement with this text. */
function failingAfter(db: Database, text: string): Database {
  let isLost = false
  return {
    ...db,
    async query(statement, values) {
      if (isLost) throw new Unavailable('planted')
      isLost = String(statement).includes(text)
      return db.query(statement, values)
    },
  }
}

test.each([false, true])('a sync that is requested while one runs is kept (booting: %s)', async (booting) => {
  const simulator = await startSimulator()
  const siteId = await seedControlledSite(app.db, simulator)
  await simulator.behave({ booting })
  const { controllers } = app.context
  const inBackground: typeof controllers.inBackground = async (controllerId, work) => {
    await app.db.query(`update sites set next_sync_at = '2026-01-01' where id = $1`, [siteId])
    return controllers.inBackground(controllerId, work)
  }
  await syncSite({ ...app.context, controllers: { ...controllers, inBackground } }, siteId)
  const { rows } = await app.db.query(
    `select next_sync_at = '2026-01-01' as kept, sync_failure is not null as failed from sites where id = $1`,
    [siteId],
  )

  expect(rows).toEqual([{ kept: true, failed: booting }])
})
