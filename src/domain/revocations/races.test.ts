import { expect, test } from 'vitest'
import { deleteOldRows } from '#db/retention.queries.ts'
import { startApp } from '#test/app.ts'
import { seedSite, seedVoucher } from '#test/data/seed.ts'
import { onClassic, onIntegration, startStay, uuidOf } from '#test/stay.ts'
import { readWholeList } from '../controllers/whole-list.ts'
import { listSitesWithDueWithdrawals, updateVouchersWithdrawn } from '../record/due-withdrawals.queries.ts'
import { updateSeenVouchers } from '../record/observe-vouchers.queries.ts'
import { insertScheduledWithdrawals, scheduledWithdrawals } from '../record/withdrawals.queries.ts'
import { findSiteToSync, type SiteToSync } from '../sites/sync-times.queries.ts'
import { syncSite } from '../syncing/sync-site.ts'
import { enqueueWithdrawals } from './enqueue-withdrawals.ts'
import { withdrawDue } from './withdraw-due.ts'

const app = await startApp() // without a worker: the test decides who runs when
const { key, openSite, checkIn, revoke, read, outcomes, statusOf } = await startStay(app)
const day = '2026-11-15'
const run = (siteId: number) => withdrawDue(app.context, siteId)

async function openWithGuests(count: number, dialect = onIntegration) {
  const site = await openSite(dialect)
  const guests: { id: string; code: string }[] = []
  while (guests.length < count) guests.push(...(await Promise.all([1, 2, 3, 4].map(() => checkIn(site.id)))))
  guests.length = count
  await site.simulator.forget()
  return { site, guests, ids: guests.map(({ id }) => id) }
}

test('runners that run at once share the work, and nothing is deleted twice', async () => {
  const { site, ids } = await openWithGuests(60)
  await site.simulator.fault('slow', { on: 'delete', times: 9, delayMs: 300 })
  const id = await revoke({ voucher_ids: ids })
  await Promise.all([run(site.id), run(site.id), run(site.id)])

  expect(await read(`/revocations/${id}`)).toMatchObject({ state: 'done', revoked: 60 })
  const deleted = (await site.simulator.requests())
    .filter(({ method }) => method === 'DELETE')
    .flatMap(({ query }) => decodeURIComponent(query).match(/[0-9a-f-]{36}/g) ?? [])
  expect([deleted.length, new Set(deleted).size]).toEqual([60, 60])
})

test('two runners with the same withdrawals have the same result, and each voucher counts once', async () => {
  const { site, ids } = await openWithGuests(5)
  await site.simulator.fault('slow', { on: 'delete', times: 2, delayMs: 300 })
  const id = await revoke({ voucher_ids: ids })
  const first = run(site.id)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await app.db.query(`update withdrawals set next_attempt_at = now() - interval '1 second' where revocation_id = $1`, [
    id,
  ])
  await Promise.all([first, run(site.id)])

  expect(await read(`/revocations/${id}`)).toMatchObject({ state: 'done', revoked: 5 })
  const { rows } = await app.db.query('select revoked from site_days where site_id = $1', [site.id])
  expect(rows).toEqual([{ revoked: 5 }])
})

test('no database connection is held while the controller is called', async () => {
  const { site, ids } = await openWithGuests(1)
  await site.simulator.fault('slow', { on: 'delete', delayMs: 500 })
  await revoke({ voucher_ids: ids })
  const running = run(site.id)
  await new Promise((resolve) => setTimeout(resolve, 250))
  const { rows } = await app.db.query(
    `select state from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
  )
  await running

  expect(rows).toEqual([])
})

test('the sweep finds each site with due withdrawals, even if its job is gone', async () => {
  const { site, ids } = await openWithGuests(3)
  await revoke({ voucher_ids: ids })
  await app.db.query(`delete from pgboss.job where name = 'withdraw'`)
  const isDue = async () =>
    (await listSitesWithDueWithdrawals(app.db, 'small')).siteIds.filter((id) => id === site.id).length

  expect(await isDue()).toBe(1)
  await app.db.query('insert into controller_outages (controller_id) select controller_id from sites where id = $1', [
    site.id,
  ])
  expect(await isDue()).toBe(0)
  await app.db.query('delete from controller_outages')
  await run(site.id)
  expect(await isDue()).toBe(0)
})

test('enqueueing the same sites in different orders at once causes no deadlock', async () => {
  const sites = Array.from({ length: 400 }, (_, n) => 1_000_000 + n)
  const enqueue = (inOrder: typeof sites) =>
    app.context.db.transaction((tx) => enqueueWithdrawals(tx, app.context.queue, inOrder, 'small'))
  for (let round = 0; round < 5; round++) {
    await Promise.all([enqueue(sites), enqueue(sites.toReversed()), enqueue(sites)])
    await app.db.query(`delete from pgboss.job where name = 'withdraw'`)
  }
})

test.each([onIntegration, onClassic])('$driver: a sync that began earlier undoes no withdrawal', async (dialect) => {
  const { site, ids } = await openWithGuests(1, dialect)
  const [id] = ids as [string]
  const before = (await findSiteToSync(app.db, site.id)) as SiteToSync
  const seen = await readWholeList(app.context.controllers.connectionOf(before).list(before.controllerSite))
  await revoke({ voucher_ids: ids })
  await run(site.id)
  await updateSeenVouchers(app.db, { siteId: site.id, listedAt: before.listedAt, day }, seen)
  expect(await statusOf(id)).toBe('revoked')
  await syncSite(app.context, site.id)

  expect(await statusOf(id)).toBe('revoked')
})

test('a sync that waits for the row while it is withdrawn does not undo it', async () => {
  const { site, guests } = await openWithGuests(1)
  const [{ id, code }] = guests as [{ id: string; code: string }]
  const before = (await findSiteToSync(app.db, site.id)) as SiteToSync
  await site.simulator.redeem(code) // so that sync has something to write
  const seen = await readWholeList(app.context.controllers.connectionOf(before).list(before.controllerSite))
  let syncing: Promise<unknown> | undefined
  await app.db.transaction(async (tx) => {
    await updateVouchersWithdrawn(tx, site.id, [{ id: uuidOf(id), voucherId: uuidOf(id) }])
    syncing = updateSeenVouchers(app.context.db, { siteId: site.id, listedAt: before.listedAt, day }, seen)
    await new Promise((resolve) => setTimeout(resolve, 200))
  })
  await syncing

  expect(await statusOf(id)).toBe('revoked')
})

test('a withdrawn voucher that is on the controller again, as after a restored backup, is withdrawn again', async () => {
  const { site, guests, ids } = await openWithGuests(2)
  const [withdrawn, takenForDeleted] = guests as [{ id: string; code: string }, { id: string; code: string }]
  const id = await revoke({ voucher_ids: [withdrawn.id] })
  // Both vouchers were revoked an hour ago in the record, but are still on the controller.
  await app.db.query(
    `update withdrawals set outcome = 'revoked', settled_at = now() - interval '1 hour' where revocation_id = $1`,
    [id],
  )
  await app.db.query(
    `update vouchers set status = 'revoked', revoked_at = now() - interval '1 hour' where id = any ($1)`,
    [ids.map(uuidOf)],
  )
  await syncSite(app.context, site.id)
  await run(site.id)

  expect([await statusOf(withdrawn.id), await site.onController(withdrawn.code)]).toEqual(['revoked', false])
  expect([await statusOf(takenForDeleted.id), await site.onController(takenForDeleted.code)]).toEqual(['valid', true])
})

test('a voucher that seemed deleted when its withdrawal was due is withdrawn when a sync finds it', async () => {
  const { site, guests, ids } = await openWithGuests(1)
  const [{ id, code }] = guests as [{ id: string; code: string }]
  await app.db.query(
    `update vouchers set status = 'revoked', revoked_at = now() - interval '1 minute' where id = any ($1)`,
    [ids.map(uuidOf)],
  )
  const revocation = await revoke({ voucher_ids: ids })
  await run(site.id)
  expect(await outcomes(revocation)).toEqual({ [id]: ['ended', null] })
  await syncSite(app.context, site.id)
  await run(site.id)

  expect([await statusOf(id), await site.onController(code)]).toEqual(['revoked', false])
})

test('a second revocation of a withdrawn voucher ends, and a withdrawal that is not due yet waits', async () => {
  const { site, ids } = await openWithGuests(2)
  const [first, second] = ids as [string, string]
  const earlier = await revoke({ voucher_ids: [first] })
  await run(site.id)
  await app.db.transaction((tx) =>
    insertScheduledWithdrawals(tx, site.id, [
      { voucherId: uuidOf(second), reason: 'valid_until', dueAt: new Date(Date.now() + 60_000) },
    ]),
  )
  const later = await revoke({ voucher_ids: [first] })
  await run(site.id)

  expect([await outcomes(earlier), await outcomes(later)]).toEqual([
    { [first]: ['revoked', null] },
    { [first]: ['ended', null] },
  ])
  expect(await statusOf(second)).toBe('valid')
})

test('settled withdrawals are kept for a week if they were scheduled, and forever if they belong to a revocation', async () => {
  const site = await seedSite(app.db)
  const voucherId = await seedVoucher(app.db, site)
  await insertScheduledWithdrawals(app.db, site, [
    { voucherId, reason: 'repair', dueAt: new Date() },
    { voucherId, reason: 'repair', dueAt: new Date() },
    { voucherId, reason: 'repair', dueAt: new Date() },
  ])
  await revoke({ voucher_ids: [`${site}-${voucherId}`] })
  const count = async () =>
    Number((await app.db.query('select count(*) from withdrawals where site_id = $1', [site])).rows[0]?.count)
  await app.db.query(
    `update withdrawals set outcome = 'ended', settled_at = now() - interval '8 days'
      where site_id = $1 and (revocation_id is not null
         or id in (select id from withdrawals where site_id = $1 and revocation_id is null limit 2))`,
    [site],
  )

  expect([await count(), await deleteOldRows(app.db, scheduledWithdrawals), await count()]).toEqual([4, 2, 2])
})

test('valid_until keeps its exact time around a daylight saving change and is shown in UTC', async () => {
  const site = await seedSite(app.db)
  await app.db.query(`alter database ${new URL(app.db.url).pathname.slice(1)} set timezone to 'Europe/Berlin'`)
  const moments = [
    ['2026-10-25T02:30:00+02:00', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T02:30:00+01:00', '2026-10-25T01:30:00.000Z'],
    ['2027-03-28T01:59:59+01:00', '2027-03-28T00:59:59.000Z'],
    ['2027-03-28T03:00:00+02:00', '2027-03-28T01:00:00.000Z'],
  ] as const
  for (const [given, meant] of moments) {
    const id = await seedVoucher(app.db, site)
    await app.db.query('update vouchers set valid_until = $2 where id = $1', [id, new Date(given)])
    await insertScheduledWithdrawals(app.db, site, [{ voucherId: id, reason: 'valid_until', dueAt: new Date(given) }])
    const { rows } = await app.db.query<any>('select due_at, next_attempt_at from withdrawals where voucher_id = $1', [
      id,
    ])

    expect(rows).toEqual([{ due_at: new Date(meant), next_attempt_at: new Date(meant) }])
    expect((await app.call(`/api/v2/vouchers/${site}-${id}`, { key })).json().valid_until).toBe(meant)
  }
})
