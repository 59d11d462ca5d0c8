import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedPerson } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { dialects, type Simulator, startSimulator } from '#test/network/simulator.ts'
import { insertHold } from '../hold.queries.ts'
import { syncSite } from './sync-site.ts'

const app = await startApp()
const { db } = app
const { session } = await seedPerson(db, { role: 'admin' })
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

beforeEach(async () => {
  await db.query('delete from hold')
  await choose({ forget_after_days: 30, delete_on_controller: true })
})

async function choose(settings: object, path = '') {
  const request = { method: path ? 'PUT' : 'PATCH', session, body: JSON.stringify(settings) }
  expect((await app.call(`/api/v2/settings/guest-data${path}`, request)).status).toBe(200)
}

describe.each(dialects)('$dialect', ({ driver, flavour }) => {
  let lastCode = 1_000_000_000

  /** A site whose vouchers ended so many days ago, on the controller and in the record. An end of null: nobody has used it. */
  async function start(ends: (number | null)[], simulator?: Simulator, controllerSite = 'default') {
    const controller =
      simulator ?? (await startSimulator('--flavour', flavour, '--site', 'default=Default', '--site', 'branch=Branch'))
    const siteId = await seedControlledSite(db, controller, { driver, controllerSite })
    const vouchers = ends.map((days) => ({
      code: String(++lastCode),
      name: '2026-11-14_Gast',
      timeLimitMinutes: 60,
      authorizedGuestLimit: 1,
      createdAt: daysAgo((days ?? 500) + 2),
      ...(days !== null && { firstUsedAt: daysAgo(days + 1 / 24), devices: 1 }),
    }))
    const body = JSON.stringify({ internalReference: controllerSite, vouchers })
    expect((await call(`${controller.url}/control/history`, { method: 'POST', body })).status).toBe(201)
    await db.query('update sites set adopts_vouchers = true, ended_deleted_at = now() where id = $1', [siteId])
    await syncSite(app.context, siteId)
    await db.query(`update vouchers set creation_id = id where site_id = $1`, [siteId])
    const codes = vouchers.map(({ code }) => code)
    const change = (code: string | undefined, set: string) =>
      db.query(`update vouchers set ${set} where site_id = $1 and code = $2`, [siteId, code])
    const sync = async () => {
      await db.query('update sites set ended_deleted_at = null where id = $1', [siteId])
      await syncSite(app.context, siteId)
    }
    const onController = async () => {
      const left = (await controller.vouchers()).filter(({ code, deleted }) => !deleted && codes.includes(code))
      return left.map(({ code }) => code).toSorted()
    }
    const recorded = async () =>
      (await db.query('select code, status, name, revoked_at from vouchers where site_id = $1 order by code', [siteId]))
        .rows
    return { simulator: controller, siteId, codes, change, sync, onController, recorded }
  }

  test('ended vouchers are deleted on the controller after the days, and the record keeps their end', async () => {
    const { codes, sync, onController, recorded } = await start([40, 31, 29, null])
    const before = await recorded()
    await sync()

    expect(await onController()).toEqual(codes.slice(2))
    expect(before.map(({ status }) => status)).toEqual(['used', 'used', 'used', 'valid'])
    await sync()
    await sync()
    expect(await recorded()).toEqual(before)
  })

  test.each([
    ['nobody chose it', { delete_on_controller: false }],
    ['guests are never forgotten', { forget_after_days: null }],
    ['the days are not over', { forget_after_days: 41 }],
  ])('nothing is deleted if %s', async (_, settings) => {
    const { codes, sync, onController } = await start([40])
    await choose(settings)
    await sync()

    expect(await onController()).toEqual(codes)
  })

  test('a site with other days has its vouchers deleted after those', async () => {
    const { siteId, codes, sync, onController } = await start([40, 31])
    await choose({ forget_after_days: 35 }, `/sites/${siteId}`)
    await sync()
    expect(await onController()).toEqual(codes.slice(1))
    await choose({ forget_after_days: null }, `/sites/${siteId}`)
    await sync()
    expect(await onController()).toEqual(codes.slice(1))
  })

  test('nothing of others is deleted: vouchers without a creation, with another code, or that the record does not say ended', async () => {
    const { codes, change, sync, onController } = await start([40, 40, 40, 40, 40])
    const [foreign, reused, later, running] = codes
    await change(foreign, 'creation_id = null')
    await change(reused, `code = '0000000001'`) // the controller gave the id to another voucher
    await change(later, `expires_at = now() - interval '29 days'`)
    await change(running, `expires_at = now() + interval '1 day'`)
    await db.query('update sites s set compared_version = v.version from site_versions v where v.site_id = s.id') // the record stays
    await sync()

    expect(await onController()).toEqual(codes.slice(0, 4))
  })

  test('the vouchers of another site on the same controller stay', async () => {
    const here = await start([40])
    const there = await start([40], here.simulator, 'branch')
    await here.sync()

    expect([await here.onController(), await there.onController()]).toEqual([[], there.codes])
  })

  test('a voucher that is being withdrawn is left to its withdrawal', async () => {
    const { siteId, codes, sync, onController } = await start([40])
    await db.query(
      `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
       select site_id, uuid_v7(), id, 'request', now(), now() from vouchers where site_id = $1`,
      [siteId],
    )
    await sync()

    expect(await onController()).toEqual(codes)
  })

  test('nothing is deleted while the service is held', async () => {
    const { codes, sync, onController } = await start([40])
    await insertHold(db, { reason: 'command', backupTakenAt: null })
    await sync()

    expect(await onController()).toEqual(codes)
  })

  test('a controller that refuses or does not answer is tried again later, and the sync itself succeeds', async () => {
    const { simulator, siteId, codes, sync, onController } = await start([40])
    await simulator.fault('forbidden', { on: 'delete', times: 20 })
    await sync()
    const { rows } = await db.query(
      'select sync_failure as failure, ended_deleted_at is not null as "isTried" from sites where id = $1',
      [siteId],
    )
    expect([await onController(), rows]).toEqual([codes, [{ failure: null, isTried: true }]])
    await simulator.forgetFaults()
    await syncSite(app.context, siteId)
    expect(await onController()).toEqual(codes) // not within the hour
    await sync()
    expect(await onController()).toEqual([])
  })

  test('a sync deletes 200 vouchers at most, and the next one continues', async () => {
    const { siteId, sync, onController } = await start(Array.from({ length: 230 }, () => 40))
    await sync()
    expect(await onController()).toHaveLength(30)
    await syncSite(app.context, siteId)
    expect(await onController()).toHaveLength(0)
  })
})
