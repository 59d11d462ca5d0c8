import { expect, test, vi } from 'vitest'
import { startApp, startWorkerOf } from '#test/app.ts'
import { addConference } from '#test/data/conference.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { startStay, uuidOf } from '#test/stay.ts'

const app = await startApp()
await startWorkerOf(app)
const { key, openSite, checkIn, revoke, read, done } = await startStay(app)

/** The vouchers of the large revocation. A call deletes 50 and takes a second, so two calls at once need half a minute. */
const conference = 3_000
const slow = { on: 'delete', delayMs: 1_000, times: 10_000 }

type Place = { id: number; simulator: Simulator }

const vouchersOn = async ({ simulator }: Place) => (await simulator.vouchers()).filter(({ deleted }) => !deleted)

/** Waits until the controller is asked to delete vouchers. */
const deleting = ({ simulator }: Place) =>
  vi.waitFor(async () => expect((await simulator.requests()).some(({ method }) => method === 'DELETE')).toBe(true), {
    timeout: 30_000,
    interval: 50,
  })

const endStay = (id: string) =>
  app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
     select site_id, gen_random_uuid(), id, 'valid_until', now(), now() from vouchers where id = $1`,
    [uuidOf(id)],
  )

const gone = (place: Place, code: string) =>
  vi.waitFor(async () => expect((await vouchersOn(place)).some((voucher) => voucher.code === code)).toBe(false), {
    timeout: 90_000,
    interval: 100,
  })

const pendingOf = async (revocation: string) => (await read(`/revocations/${revocation}`)).pending as number

test('an ended stay and a single revocation do not wait behind a large revocation, which also ends', async () => {
  const site = await openSite()
  const [ended, unwanted] = [await checkIn(site.id), await checkIn(site.id)]
  await addConference(app.db, site, conference)
  await site.simulator.fault('slow', slow)
  const large = await revoke({ filter: { reference: `conference ${site.id}` } })
  await deleting(site)
  await endStay(ended.id)
  const single = (await app.call(`/api/v2/vouchers/${unwanted.id}`, { method: 'DELETE', key })).json().id
  await Promise.all([gone(site, ended.code), gone(site, unwanted.code)])
  const pending = await pendingOf(large)
  await site.simulator.forgetFaults()

  expect(pending).toBeGreaterThan(conference / 3)
  await done(single)
  expect(await done(large, 120_000)).toMatchObject({ total: conference, revoked: conference })
})

test('a single revocation does not wait behind another key that revokes many vouchers page by page', async () => {
  const site = await openSite()
  const guest = await checkIn(site.id)
  await addConference(app.db, site, conference)
  const { rows } = await app.db.query<{ id: string }>(
    `select site_id || '-' || id as id from vouchers where site_id = $1 and reference = $2`,
    [site.id, `conference ${site.id}`],
  )
  const other = await seedKey(app.db, { scope: 'write' })
  await site.simulator.fault('slow', slow)
  while (rows.length > 0) {
    const body = JSON.stringify({ voucher_ids: rows.splice(0, 50).map(({ id }) => id) })
    await app.call('/api/v2/revocations', { method: 'POST', key: other.key, body })
  }
  await app.call(`/api/v2/vouchers/${guest.id}`, { method: 'DELETE', key })
  await gone(site, guest.code)
  const left = await vouchersOn(site)
  await site.simulator.forgetFaults()
  await app.db.query('delete from withdrawals where site_id = $1 and settled_at is null', [site.id])

  expect(left.length).toBeGreaterThan(conference / 3)
})

test('an ended stay does not wait behind large revocations of all sites of its controller', async () => {
  const references = ['default', 'branch', 'third']
  const simulator = await startSimulator(...references.flatMap((reference) => ['--site', `${reference}=${reference}`]))
  const first = await seedControlledSite(app.db, simulator)
  const { rows } = await app.db.query<{ id: number }>(
    `insert into sites (name, controller_id, controller_site, active)
     select reference, controller_id, reference, true from sites, unnest($2::text[]) as reference where id = $1
     returning id`,
    [first, references.slice(1)],
  )
  const places = [first, ...rows.map(({ id }) => id)].map((id, n) => ({
    id,
    simulator,
    reference: references[n] as string,
  }))
  const ended = await checkIn(first)
  for (const place of places) await addConference(app.db, place, conference / 3)
  await simulator.fault('slow', slow)
  const large = await Promise.all(places.map(({ id }) => revoke({ filter: { reference: `conference ${id}` } })))
  await deleting({ id: first, simulator })
  await endStay(ended.id)
  await gone({ id: first, simulator }, ended.code)
  const pending = await Promise.all(large.map(pendingOf))
  await simulator.forgetFaults()

  for (const left of pending) expect(left).toBeGreaterThan(conference / 9)
  for (const revocation of large) await done(revocation, 120_000)
})

test('an ended stay does not wait for the list that a conditional revocation reads', async () => {
  const site = await openSite()
  const [ended, conditional] = [await checkIn(site.id), await checkIn(site.id, { name: 'Conditional' })]
  await app.db.query(`update vouchers set reference = 'unused' where id = $1`, [uuidOf(conditional.id)])
  await site.simulator.forget()
  await site.simulator.fault('slow', { on: 'list', delayMs: 9_000 })
  const revocation = await revoke({ filter: { reference: 'unused', unused: true } })
  await vi.waitFor(async () => expect(await site.simulator.requests()).not.toEqual([]), {
    timeout: 30_000,
    interval: 20,
  })
  await endStay(ended.id)
  await gone(site, ended.code)

  expect(await pendingOf(revocation)).toBe(1)
  await done(revocation, 60_000)
})

test.each([
  ['an ended stay', 'many single revocations', 'request'],
  ['a single revocation', 'many ends', 'valid_until'],
])('%s does not wait behind %s', async (what, _, reason) => {
  const site = await openSite()
  const guest = await checkIn(site.id)
  await addConference(app.db, site, conference)
  await site.simulator.fault('slow', slow)
  await app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, revocation_id, reason, due_at, next_attempt_at)
     select site_id, gen_random_uuid(), id, case when $3 = 'request' then gen_random_uuid() end, $3, now(), now()
       from vouchers where site_id = $1 and reference = $2`,
    [site.id, `conference ${site.id}`, reason],
  )
  await deleting(site)
  if (what === 'an ended stay') await endStay(guest.id)
  else await revoke({ voucher_ids: [guest.id] })
  await gone(site, guest.code)
  const left = await vouchersOn(site)
  await site.simulator.forgetFaults()
  await app.db.query('delete from withdrawals where site_id = $1 and settled_at is null', [site.id])

  expect(left.length).toBeGreaterThan(conference / 3)
})
