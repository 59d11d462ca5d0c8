import { beforeEach, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { itemOf } from '#test/public-id.ts'
import { runBatch } from '../creating/run-batch.ts'
import { insertScheduledWithdrawals } from '../record/withdrawals.queries.ts'
import { withdrawDue } from '../revocations/withdraw-due.ts'
import { recordEndedVouchers } from '../syncing/record-ended-vouchers.ts'
import { syncSite } from '../syncing/sync-site.ts'
import { addWebhook } from '../webhooks/administer-webhooks.ts'
import { type EventType, eventTypes } from '../webhooks/event-types.ts'

const app = await startApp()
const { db } = app
const { key } = await seedKey(db, { scope: 'write', name: 'Check-in' })
const allEvents = Object.keys(eventTypes) as EventType[]
const voucherEvents: EventType[] = ['voucher.first_used', 'voucher.expired', 'voucher.revoked', 'batch.finished']

beforeEach(() => db.query('delete from webhooks'))

async function addHook(name: string, request: { events?: EventType[]; siteIds?: number[] } = {}): Promise<string> {
  const hook = { name, format: 'generic', url: 'https://sink.invalid', siteIds: undefined, events: voucherEvents }
  return (await addWebhook({ db, keyring: testKeyring }, testActor, { ...hook, ...request })).id
}

/** A site on a controller of its own, without a worker: the test decides what happens when. */
async function openSite() {
  const simulator = await startSimulator()
  const siteId = await seedControlledSite(db, simulator, { name: 'Haus' })
  const post = (path: string, body: object) =>
    app.call(`/api/v2${path}`, { method: 'POST', key, body: JSON.stringify(body) })
  return {
    simulator,
    siteId,
    post,
    async create(change: object = {}) {
      const body = { site_id: siteId, name: 'Gast', max_uses: 5, expire_minutes: 60, ...change }
      const { id, code } = (await post('/vouchers', body)).json()
      return { id: id as string, uuid: id.slice(id.indexOf('-') + 1) as string, code: code as string }
    },
    sync: (context = app.context) => syncSite(context, siteId),
    withdraw: () => withdrawDue(app.context, siteId),
    /** The events of this site, oldest first. */
    async facts() {
      const { rows } = await db.query<{ type: string; data: Record<string, any> }>(
        'select type, data from events where site_id = $1 order by id',
        [siteId],
      )
      return rows.map(({ type, data: { vouchers, reason } }) => ({
        type,
        ...(vouchers && { vouchers: vouchers.map(({ id }: { id: string }) => id).toSorted() }),
        ...(reason && { reason }),
      }))
    },
  }
}

const endNow = (uuid: string) =>
  db.query(`update vouchers set expires_at = now() - interval '1 second' where id = $1`, [uuid])

test('the first use causes one event, however often it is seen and even if the count starts again from 0', async () => {
  await addHook('hook')
  const { simulator, siteId, create, sync, facts } = await openSite()
  const [used, also, unused] = [await create({ reference: 'R-1' }), await create(), await create()]
  await sync()
  expect(await facts()).toEqual([])
  await simulator.redeem(used.code, 'aa:00:00:00:00:01')
  await simulator.redeem(also.code, 'aa:00:00:00:00:02')
  await Promise.all([sync(), sync()])
  await simulator.redeem(used.code, 'aa:00:00:00:00:03')
  await sync()
  await db.query('update vouchers set used_count = 0 where site_id = $1', [siteId])
  await sync()

  expect(await facts()).toEqual([{ type: 'voucher.first_used', vouchers: [used.uuid, also.uuid].toSorted() }])
  const { rows } = await db.query<{ data: any }>('select data from events where site_id = $1', [siteId])
  expect(rows[0]?.data).toMatchObject({ site_id: siteId, site: 'Haus' })
  expect(rows[0]?.data.vouchers).toContainEqual({ id: used.uuid, reference: 'R-1' })
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${unused.uuid}|${used.code}`))
})

test('an end causes one event: from the sync that sees it, or from a sweep before that sync', async () => {
  await addHook('hook', { events: ['voucher.expired'] })
  const { simulator, siteId, create, sync, facts } = await openSite()
  const [bySync, bySweep, usedUp] = [await create(), await create(), await create({ max_uses: 1 })]
  for (const { code } of [bySync, bySweep, usedUp]) await simulator.redeem(code)
  await sync()
  await endNow(bySweep.uuid)
  await endNow(usedUp.uuid)
  expect(await recordEndedVouchers(app.context)).toBe(2)
  expect(await recordEndedVouchers(app.context)).toBe(0)
  await simulator.clock({ advanceSeconds: 3_700 }) // a sync sees all ends
  await db.query(`update controllers set stamp_skew_ms = 0`)
  await endNow(bySync.uuid)
  await db.query(`update vouchers set status = 'valid' where id = $1`, [bySweep.uuid]) // as if its end had been put off
  await Promise.all([sync(), sync()])
  await recordEndedVouchers(app.context)
  await sync()

  expect(await facts()).toEqual([
    { type: 'voucher.expired', vouchers: [bySweep.uuid, usedUp.uuid].toSorted() },
    { type: 'voucher.expired', vouchers: [bySync.uuid] },
  ])
  const { rows } = await db.query('select id, status from vouchers where site_id = $1 order by id', [siteId])
  expect(rows).toEqual([
    { id: bySync.uuid, status: 'expired' },
    { id: bySweep.uuid, status: 'expired' },
    { id: usedUp.uuid, status: 'used' },
  ])
})

test('the sweep works in small commits: one event for each site and piece', async () => {
  await addHook('hook')
  const sites = [await seedSite(db), await seedSite(db)]
  for (const site of sites)
    await db.query(
      `insert into vouchers (site_id, id, creation_id, controller_voucher_id, code, controller_name, name,
         max_uses, expire_minutes, created_at, expires_at, status)
       select $1, gen_random_uuid(), gen_random_uuid(), 'c' || n, n::text, 'Gast', 'Gast', 1, 60, now(),
              now() - n * interval '1 second', case when n % 2 = 0 then 'valid' else 'used' end
         from generate_series(1, 1200) as n`,
      [site],
    )
  expect(await recordEndedVouchers(app.context)).toBe(2_400)

  const { rows } = await db.query<{ siteId: number; count: number }>(
    `select site_id as "siteId", jsonb_array_length(data -> 'vouchers') as count from events where site_id = any ($1)`,
    [sites],
  )
  for (const site of sites) {
    const counts = rows.filter(({ siteId }) => siteId === site).map(({ count }) => count)
    expect([counts.reduce((sum, count) => sum + count, 0), Math.max(...counts) <= 1_000]).toEqual([1_200, true])
  }
  expect(rows.length).toBeLessThanOrEqual(6)
})

test('a revocation, valid_until, no use and a deletion on the controller cause one event each, with its reason', async () => {
  await addHook('hook', { events: ['voucher.revoked'] })
  const { simulator, siteId, post, create, sync, withdraw, facts } = await openSite()
  const [onRequest, atEnd, unused] = [await create(), await create(), await create()]
  const [elsewhere, noticed, surplus] = [await create(), await create(), await create()]
  await post('/revocations', { voucher_ids: [onRequest.id] })
  await Promise.all([withdraw(), withdraw()])
  await insertScheduledWithdrawals(db, siteId, [{ voucherId: atEnd.uuid, reason: 'valid_until' }])
  await withdraw()
  await insertScheduledWithdrawals(db, siteId, [{ voucherId: unused.uuid, reason: 'unused', onlyUnused: true }])
  await withdraw()
  await simulator.deleteVoucher(elsewhere.code)
  await sync()
  // The worker died after the deletion on the controller, and a sync comes before the next attempt.
  await post('/revocations', { voucher_ids: [noticed.id] })
  await insertScheduledWithdrawals(db, siteId, [{ voucherId: surplus.uuid, reason: 'repair' }])
  for (const { code } of [noticed, surplus]) await simulator.deleteVoucher(code)
  await sync()
  await withdraw()
  await sync()

  expect(await facts()).toEqual([
    { type: 'voucher.revoked', vouchers: [onRequest.uuid], reason: 'request' },
    { type: 'voucher.revoked', vouchers: [atEnd.uuid], reason: 'valid_until' },
    { type: 'voucher.revoked', vouchers: [unused.uuid], reason: 'unused' },
    { type: 'voucher.revoked', vouchers: [elsewhere.uuid], reason: 'controller' },
    { type: 'voucher.revoked', vouchers: [noticed.uuid], reason: 'request' },
  ])
})

test('when two withdrawals are settled together, the event has the reason of the one that was due first', async () => {
  await addHook('hook', { events: ['voucher.revoked'] })
  const { siteId, create, withdraw, facts } = await openSite()
  const [atEnd, onRequest] = [
    await Promise.all(Array.from({ length: 6 }, () => create())),
    await Promise.all(Array.from({ length: 6 }, () => create())),
  ]
  const [first, second] = [new Date(Date.now() - 2_000), new Date(Date.now() - 1_000)]
  for (const [vouchers, endsAt, requestedAt] of [
    [atEnd, first, second],
    [onRequest, second, first],
  ] as const)
    for (const { uuid: voucherId } of vouchers)
      await insertScheduledWithdrawals(db, siteId, [
        { voucherId, reason: 'valid_until', dueAt: endsAt },
        { voucherId, reason: 'request', dueAt: requestedAt },
      ])
  await withdraw()

  const uuidsOf = (vouchers: { uuid: string }[]) => vouchers.map(({ uuid }) => uuid).toSorted()
  const events = await facts()
  expect(events).toHaveLength(2)
  expect(events).toContainEqual({ type: 'voucher.revoked', vouchers: uuidsOf(atEnd), reason: 'valid_until' })
  expect(events).toContainEqual({ type: 'voucher.revoked', vouchers: uuidsOf(onRequest), reason: 'request' })
})

test('adopted vouchers cause no events, whatever happens to them', async () => {
  await addHook('hook', { events: allEvents })
  const { simulator, siteId, sync, facts } = await openSite()
  await db.query('update sites set adopts_vouchers = true where id = $1', [siteId])
  await simulator.addVoucher({ internalReference: 'default', name: 'By hand', timeLimitMinutes: 60, count: 3 })
  await sync()
  const [used, gone, over] = (await simulator.vouchers()).map(({ code }) => code) as [string, string, string]
  await simulator.redeem(used)
  await simulator.deleteVoucher(gone)
  await db.query(`update vouchers set expires_at = now() - interval '1 second' where code = $1`, [over])
  await recordEndedVouchers(app.context)
  await sync()

  const { rows } = await db.query('select status from vouchers where site_id = $1 order by status', [siteId])
  expect(rows).toContainEqual({ status: 'revoked' })
  expect(await facts()).toEqual([])
})

test('the end of a batch causes an event with the numbers of its rows, and another one after a retry', async () => {
  await addHook('hook', { events: ['batch.finished', 'voucher.created'] })
  const { simulator, siteId, post } = await openSite()
  await simulator.fault('forbidden')
  const { id } = (await post('/batches', { site_id: siteId, names: ['Ada', 'Grace'], reference: 'Fest' })).json()
  const batch = itemOf(id)
  await runBatch(app.context, batch)
  await simulator.forgetFaults()
  await post(`/batches/${id}/retry`, {})
  await runBatch(app.context, batch)
  await runBatch(app.context, batch)

  const { rows } = await db.query<{ type: string; data: any }>(
    'select type, data from events where site_id = $1 order by id',
    [siteId],
  )
  const ended = { site_id: siteId, site: 'Haus', source: 'API: Check-in', batch_id: batch.id, reference: 'Fest' }
  const [first, created, second] = rows
  expect(rows).toHaveLength(3)
  expect(first).toEqual({ type: 'batch.finished', data: { ...ended, made: 0, failed: 2, cancelled: 0 } })
  expect(created).toMatchObject({ type: 'voucher.created', data: { batch_id: batch.id } })
  expect(created?.data.vouchers.map(({ reference }: any) => reference)).toEqual(['Fest', 'Fest'])
  expect(second).toEqual({ type: 'batch.finished', data: { ...ended, made: 2, failed: 0, cancelled: 0 } })
})

test('a webhook gets only the events that it chose, and only of sites that it may see', async () => {
  const here = await openSite()
  const there = await openSite()
  const hooks = {
    'both sites': await addHook('both sites'),
    'only this site': await addHook('only this site', { siteIds: [here.siteId] }),
    'another site': await addHook('another site', { siteIds: [there.siteId] }),
    'other events': await addHook('other events', { events: ['voucher.created', 'controller.reachable'] }),
  }
  const voucher = await here.create()
  await here.simulator.redeem(voucher.code)
  await here.sync()
  await endNow(voucher.uuid)
  await recordEndedVouchers(app.context)
  const gone = await here.create()
  await here.simulator.deleteVoucher(gone.code)
  await here.sync()

  const { rows } = await db.query<{ webhookId: string; type: string }>(
    `select webhook_id as "webhookId", type from deliveries d join events e on e.id = d.event_id
      where e.site_id = $1 order by e.id`,
    [here.siteId],
  )
  const got = (id: string) => rows.filter(({ webhookId }) => webhookId === id).map(({ type }) => type)
  const three = ['voucher.first_used', 'voucher.expired', 'voucher.revoked']
  expect(Object.entries(hooks).map(([name, id]) => [name, got(id)])).toEqual([
    ['both sites', three],
    ['only this site', three],
    ['another site', []],
    ['other events', ['voucher.created', 'voucher.created']],
  ])
})

test('a webhook that is added later gets no events of earlier changes', async () => {
  const { simulator, create, sync, facts } = await openSite()
  const [used, over, gone] = [await create(), await create(), await create()]
  await simulator.redeem(used.code)
  await simulator.deleteVoucher(gone.code)
  await sync()
  await endNow(over.uuid)
  await recordEndedVouchers(app.context)
  await addHook('late', { events: allEvents })
  await sync()
  await recordEndedVouchers(app.context)

  expect(await facts()).toEqual([])
})

test('a change and its event are recorded together or not at all', async () => {
  await addHook('hook')
  const { simulator, siteId, create, sync, facts } = await openSite()
  const [used, gone, over] = [await create(), await create(), await create()]
  await sync()
  await simulator.redeem(used.code)
  await simulator.deleteVoucher(gone.code)
  await endNow(over.uuid)
  const queue = { ...app.context.queue, enqueue: () => Promise.reject(new Error('no queue')) }
  const broken = { ...app.context, queue }
  const states = async () =>
    (
      await db.query(
        'select status, used_count as used, first_use_told or end_told as notified from vouchers where site_id = $1 order by id',
        [siteId],
      )
    ).rows
  await sync(broken)
  await expect(recordEndedVouchers(broken)).rejects.toThrow('no queue')
  const untouched = { status: 'valid', used: 0, notified: false }
  expect([await states(), await facts()]).toEqual([[untouched, untouched, untouched], []])

  await recordEndedVouchers(app.context)
  await sync()
  expect((await facts()).map(({ type }) => type)).toEqual(['voucher.expired', 'voucher.first_used', 'voucher.revoked'])
})
