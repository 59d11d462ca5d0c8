import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedVoucher, testActor } from '#test/data/seed.ts'
import { dialects } from '#test/network/simulator.ts'
import { prepareSites, type SiteInTrouble } from '#test/site-in-trouble.ts'
import { readWholeList } from '../controllers/whole-list.ts'
import { holdByCommand } from '../holding/hold.ts'
import { findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'
import { findLostVouchers, listLostVouchers, recordLostVouchers } from './lost-vouchers.ts'
import { listUnrecorded } from './sync.queries.ts'

const app = await startApp()
const start = await prepareSites(app)
const { key } = await seedKey(app.db, { scope: 'write' })

test('after a restore, no list is served from before it', async () => {
  const { siteId } = await start(dialects[0] as (typeof dialects)[0])
  const list = async () => (await app.call(`/api/vouchers.php?site_id=${siteId}`, { key })).json().vouchers.length
  const before = await list()
  const { rows: saved } = await app.db.query('select * from site_versions where site_id = $1', [siteId])
  const lost = await seedVoucher(app.db, siteId)
  expect(await list()).toBe(before + 1)

  // A restore brings the tables back to their state before the voucher, without running a trigger.
  await app.db.query(`delete from vouchers where id = $1`, [lost])
  await app.db.query('update site_versions set version = $2 where site_id = $1', [siteId, saved[0]?.version])
  await seedVoucher(app.db, siteId, { code: '1111111111' })

  expect((await app.call(`/api/vouchers.php?site_id=${siteId}`, { key })).json().vouchers).toContainEqual(
    expect.objectContaining({ voucher_code: '1111111111' }),
  )
})

test.each(dialects.flatMap((dialect) => [false, true].map((holdBegins) => ({ ...dialect, holdBegins }))))(
  '$dialect: a creation that a failover lost is inserted again with its voucher; a hold begins during the call: $holdBegins',
  async ({ holdBegins, ...dialect }) => {
    const one = await start(dialect)
    await one.simulator.fault('slow', { delayMs: 1_500 })
    const creating = one.create('k')
    await vi.waitFor(async () => expect(await one.states()).toEqual(['open']), { timeout: 30_000, interval: 20 })
    await app.db.query(`delete from creations where site_id = $1 and state = 'open'`, [one.siteId])
    if (holdBegins) await holdByCommand(app.db, testActor)
    const created = await creating
    const again = await one.create('k')
    await app.db.query('delete from hold')

    expect([created.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true'])
    expect(again.json().code).toBe(created.json().code)
    expect([await one.onController(), await one.codes()]).toEqual([[created.json().code], [created.json().code]])
  },
)

test.each(dialects)(
  '$dialect: a voucher that is recorded during the comparison does not count as lost',
  async (dialect) => {
    const { siteId } = await start(dialect)
    const site = (await findSiteOnController(app.db, siteId)) as SiteOnController
    const seen = await readWholeList(app.context.controllers.connectionOf(site).list(site.controllerSite))

    await app.db.query('delete from vouchers where site_id = $1', [siteId])
    await app.db.query(`update creations set state = 'open', settled_at = null where site_id = $1`, [siteId])
    const unrecorded = await listUnrecorded(app.db, siteId, seen)
    await app.db.query(`update creations set state = 'recorded', settled_at = now() where site_id = $1`, [siteId])

    expect(unrecorded).toMatchObject([{ isSought: true }])
    expect(await listLostVouchers(app.db, siteId, unrecorded)).toEqual([])
  },
)

/** Acts like a restore: loses an acknowledged voucher and brings back a creation of the same name from an hour before. */
async function loseVoucher(one: SiteInTrouble): Promise<string> {
  await one.age(3_600)
  const { code } = (await one.create('later')).json()
  await app.db.query('delete from vouchers where site_id = $1 and code = $2', [one.siteId, code])
  await app.db.query(`delete from creations where site_id = $1 and answer->>'code' = $2`, [one.siteId, code])
  return code
}

async function settleAndSync(one: SiteInTrouble): Promise<void> {
  await one.settle()
  for (let i = 0; i < 2; i++) {
    await one.sync()
    await one.withdraw()
  }
}

test.each(dialects)(
  '$dialect: an unsettled creation that a restore brings back is not given a voucher made an hour later',
  async (dialect) => {
    const one = await start(dialect)
    await one.simulator.fault('reset')
    await one.create('k')
    const lost = await loseVoucher(one)
    await settleAndSync(one)

    expect([await one.states(), await one.codes(), await one.onController()]).toEqual([['absent'], [], [lost]])
  },
)

test.each(dialects)(
  '$dialect: revoking an unsettled creation that a restore brings back withdraws no voucher made an hour later',
  async (dialect) => {
    const one = await start(dialect)
    const post = (path: string, body: object) =>
      app.call(`/api/v2${path}`, { method: 'POST', key, body: JSON.stringify(body) })
    await one.simulator.fault('reset')
    await post('/vouchers', { site_id: one.siteId, name: 'Gast', expire_minutes: 60, reference: `R-${one.siteId}` })
    expect((await post('/revocations', { filter: { reference: `R-${one.siteId}` } })).json().total).toBe(1)
    const lost = await loseVoucher(one)
    await settleAndSync(one)

    expect([await one.states(), await one.codes(), await one.onController()]).toEqual([['absent'], [], [lost]])
  },
)

test('a lost voucher that a controller shows on two pages counts once', async () => {
  const one = await start(dialects[0] as (typeof dialects)[0])
  const site = (await findSiteOnController(app.db, one.siteId)) as SiteOnController
  const alike = { internalReference: 'default', name: '2026-11-15_Gast', timeLimitMinutes: 60, count: 2_100 }
  await one.simulator.addVoucher(alike)
  const unrecorded = async () =>
    (await app.db.query('select unrecorded from sites where id = $1', [one.siteId])).rows[0]?.unrecorded
  await one.sync()
  expect(await unrecorded()).toBe(2_100)

  const lost = await findLostVouchers(app.context, site)
  expect([lost.length, await unrecorded()]).toEqual([2_100, 2_100])
  expect(await recordLostVouchers(app.context, testActor, site, lost, { withdraw: false })).toBe(2_100)
  expect(await unrecorded()).toBe(0)
})

test('a voucher that is recorded under a second name of the same site is not lost', async () => {
  const one = await start(dialects[0] as (typeof dialects)[0])
  await one.create('k')
  const { rows } = await app.db.query<{ id: number }>(
    `insert into sites (name, controller_id, controller_site)
     select 'Again', controller_id, 'Default' from sites where id = $1 returning id`,
    [one.siteId],
  )
  const again = (await findSiteOnController(app.db, rows[0]?.id as number)) as SiteOnController

  expect(await findLostVouchers(app.context, again)).toEqual([])
})
