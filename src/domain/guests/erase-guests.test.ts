import { v7 as uuidv7 } from 'uuid'
import { beforeEach, expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { breakErasing } from '#test/data/break-erasing.ts'
import { findText } from '#test/data/find-text.ts'
import {
  seedBatch,
  seedControlledSite,
  seedPerson,
  seedSite,
  seedVoucher,
  seedWebhook,
  testActor,
} from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { listNextRows } from '../batches/rows-to-make.queries.ts'
import { insertHold } from '../hold.queries.ts'
import { settledCreations } from '../record/creations.queries.ts'
import { syncSite } from '../syncing/sync-site.ts'
import { continueErasure, continueErasures, type EraseRequest, eraseGuests } from './erase-guests.ts'
import { listErasures } from './erasures.queries.ts'
import { findRemaining } from './report-guests.ts'

const app = await startApp()
const { db, context } = app
const { session } = await seedPerson(db, { role: 'admin' })
const simulator = await startSimulator()
const site = await seedControlledSite(db, simulator, { isSyncedLater: true })
const webhook = await seedWebhook(db, { siteIds: [site] })

beforeEach(async () => {
  for (const table of ['withdrawals', 'vouchers', 'creations', 'batch_rows', 'batches', 'events', 'hold'])
    await db.query(`delete from ${table}`)
  await db.query('delete from erasure_items')
  await db.query('delete from erasures')
})

const erase = (valid: EraseRequest['valid'] = 'refuse', name = 'Quastenflosser') =>
  eraseGuests(context, testActor, { guests: [{ siteId: site, name }], reason: 'guest_asked', valid })
const remaining = (id: string, name = 'Quastenflosser') => findRemaining(db, [{ siteId: site, name }], id)
const keepWorking = () => continueErasures(context, new AbortController().signal)
const create = async (fields: object = {}) => {
  const body = { site_id: site, name: 'Quastenflosser', reference: 'QF-4711', expire_minutes: 60, ...fields }
  const answer = await app.call('/api/v2/vouchers', { method: 'POST', session, body: JSON.stringify(body) })
  expect(answer.status, answer.text).toBe(201)
  return answer.json()
}
const end = (id: string) =>
  db.query(`update vouchers set status = 'expired' where id = $1`, [id.slice(id.indexOf('-') + 1)])
const places = () => findText(db, 'Quastenflosser', 'QF-4711')
const receipt = async () => (await listErasures(db, null, { last: undefined, limit: 1 }))[0]

async function seedCreation(state: string, { sentMinutesAgo = 0, batchId = null as string | null } = {}) {
  const id = uuidv7()
  await db.query(
    `insert into creations (site_id, id, actor, idempotency_key, request_hash, controller_name, reference, max_uses, expire_minutes, state,
       sent_at, lease_until, settled_at, batch_id)
     values ($1, $2, 'key:x', $2::uuid::text, '\\x00', '2026-11-14_Quastenflosser', 'QF-4711', 1, 60, $3,
             now() - make_interval(mins => $4), now(), case when $3 in ('open', 'unknown') then null else now() end, $5)`,
    [site, id, state, sentMinutesAgo, batchId],
  )
  return id
}

const supersede = (earlier: string, next: string) =>
  db.query('update creations set superseded_by = $2 where id = $1', [earlier, next])

async function seedRow(state: string, values: { creationId?: string; voucherId?: string } = {}) {
  const batchId = await seedBatch(db, site)
  await db.query(
    `update batch_rows set controller_name = '2026-11-14_Quastenflosser', reference = 'QF-4711', state = $2, creation_id = $3, own_creation_id = $3, voucher_id = $4
      where batch_id = $1`,
    [batchId, state, values.creationId ?? null, values.voucherId ?? null],
  )
  return batchId
}

test('everything of a guest is erased, and nothing of another one; the receipt and the audit have no name', async () => {
  const mine = [await create(), await create({ reference: undefined })]
  const renamed = await create()
  await app.call(`/api/v2/vouchers/${renamed.id}`, {
    method: 'PATCH',
    session,
    body: JSON.stringify({ name: 'Karpfen' }),
  })
  for (const { id } of [...mine, renamed]) await end(id)
  await seedCreation('rejected')
  await seedRow('failed')
  const others = [
    await create({ name: 'Quastenflosserin', reference: 'AB-1' }),
    await create({ name: 'quastenflosser' }),
  ]
  const answer = await erase()

  expect(answer).toMatchObject({ reason: 'guest_asked', vouchers: 3, waiting: 0, finishedAt: expect.any(Date) })
  expect(answer.by).toEqual({ kind: 'command', id: null, name: 'test' })
  expect(answer.entries).toBeGreaterThanOrEqual(3 + 4 + 1)
  const { rows } = await db.query('select name from vouchers where erased_at is null order by name')
  expect(rows).toEqual(others.map(({ name }) => ({ name })).toSorted((a, b) => (a.name < b.name ? -1 : 1)))
  for (const { id } of others) await db.query('delete from vouchers where id = $1', [id.slice(id.indexOf('-') + 1)])
  await db.query(`delete from creations where name ilike 'Quastenflosserin' or name = 'quastenflosser'`)
  await db.query(`delete from events where data::text like '%AB-1%' or erased_at is null`)
  expect(await findText(db, 'Quastenflosser', 'Karpfen', 'QF-4711')).toEqual([])
  const audit = await db.query(`select details from audit where action = 'guests.erased' and target_id = $1`, [
    answer.id,
  ])
  expect(audit.rows).toEqual([{ details: { reason: 'guest_asked', guests: 1, vouchers: 3, valid: 0 } }])
})

test.each([
  ['a valid voucher', () => seedVoucher(db, site, { name: '2026-11-14_Quastenflosser' })],
  [
    'a used voucher whose minutes run',
    () =>
      seedVoucher(db, site, {
        name: '2026-11-14_Quastenflosser',
        status: 'used',
        expiresAt: new Date(Date.now() + 60_000),
      }),
  ],
  ['a creation under way', () => seedCreation('open')],
  ['a creation whose outcome is unknown', () => seedCreation('unknown')],
  ['a row that waits', () => seedRow('waiting')],
  [
    'a row that was sent',
    async () => seedRow('sent', { creationId: await seedCreation('open', { batchId: uuidv7() }) }),
  ],
])('%s makes the erasure fail, and nothing is changed', async (_, seed) => {
  await seed()
  await seedVoucher(db, site, { name: '2026-11-14_Quastenflosser', status: 'expired' })
  const before = await places()

  await expect(erase()).rejects.toMatchObject({ code: 'voucher_still_valid', details: { count: 1 } })
  expect(await places()).toEqual(before)
  expect(await receipt()).toBeUndefined()
})

test('the reference of a list remains until its last guest is erased, and the answer says so', async () => {
  const voucher = await seedVoucher(db, site, { name: '2026-11-14_Quastenflosser', status: 'revoked' })
  for (const batchId of [await seedRow('made', { voucherId: voucher }), await seedRow('failed')]) {
    await db.query(
      `insert into batch_rows (site_id, batch_id, number, controller_name, state) values ($1, $2, 2, '2026-11-14_Karpfen', 'failed')`,
      [site, batchId],
    )
    await db.query(`update batches set reference = 'L-4711' where id = $1`, [batchId])
  }
  await db.query(`update vouchers set batch_id = r.batch_id from batch_rows r where r.voucher_id = vouchers.id`)
  const references = async () => (await db.query(`select from batches where reference = 'L-4711'`)).rowCount

  const first = await erase()
  expect(await remaining(first.id)).toEqual([
    { place: 'batches', webhook: null, fields: ['reference'], entries: 2, until: null },
  ])
  expect(await references()).toBe(2)
  const second = await erase('refuse', 'Karpfen')
  expect(await remaining(second.id, 'Karpfen')).toEqual([])
  expect(await references()).toBe(0)
})

test('a marked voucher that is renamed before its end loses the new name too', async () => {
  const voucher = await create()
  await erase('after_end')
  await app.call(`/api/v2/vouchers/${voucher.id}`, {
    method: 'PATCH',
    session,
    body: JSON.stringify({ name: 'Karpfen' }),
  })
  await end(voucher.id)
  await keepWorking()

  expect(await findText(db, 'Quastenflosser', 'Karpfen', 'QF-4711')).toEqual([])
})

test('a guest about whom nothing is stored gets no receipt', async () => {
  await expect(erase('after_end', 'Niemand')).rejects.toMatchObject({ code: 'guest_not_found' })
  expect(await receipt()).toBeUndefined()
})

test('a voucher that still works is erased soon after its end, without any days of forgetting', async () => {
  const { id } = await create()
  const answer = await erase('after_end')
  await keepWorking()
  const marked = (await db.query('select name, erasure_id from vouchers')).rows
  await end(id)
  await keepWorking()

  expect(answer).toMatchObject({ vouchers: 1, waiting: 1, finishedAt: null })
  expect(marked).toEqual([{ name: 'Quastenflosser', erasure_id: answer.id }])
  expect(await places()).toEqual([])
  expect(await receipt()).toMatchObject({ vouchers: 1, waiting: 0, finishedAt: expect.any(Date) })
})

test('a creation under way ends as a voucher that is erased after its end', async () => {
  const id = await seedCreation('unknown')
  await erase('after_end')
  await db.query(
    `insert into vouchers (site_id, id, creation_id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, created_at, reference)
     values ($1, $2, $2, 'c1', '1234512345', '2026-11-14_Quastenflosser', 'Quastenflosser', 1, 60, now(), 'QF-4711')`,
    [site, id],
  )
  await db.query(`update creations set state = 'recorded', settled_at = now(), voucher_id = id`)
  await keepWorking()
  const open = await receipt()
  await end(`x-${id}`)
  await keepWorking()

  expect(open).toMatchObject({ vouchers: 1, waiting: 1 })
  expect(await places()).toEqual([])
  expect(await receipt()).toMatchObject({ waiting: 0, finishedAt: expect.any(Date) })
})

test('a voucher that sync adopted before its creation got it is erased too', async () => {
  const id = await seedCreation('unknown')
  const adopted = await seedVoucher(db, site, { name: '2026-11-14_Gast', status: 'expired' })
  await erase('after_end')
  await db.query(`update vouchers set creation_id = $1, name = 'Quastenflosser'`, [id])
  await db.query(`update creations set state = 'recorded', settled_at = now(), voucher_id = $1`, [adopted])
  await keepWorking()

  expect(await places()).toEqual([])
  expect(await receipt()).toMatchObject({ vouchers: 1, waiting: 0 })
})

test.each(['rejected', 'absent'])('a creation that ends as %s keeps no name after its day', async (state) => {
  await seedCreation('unknown')
  await erase('after_end')
  await db.query('update creations set state = $1, settled_at = now()', [state])
  await keepWorking()
  const waiting = (await receipt())?.waiting
  await db.query(`delete from creations where state = 'absent'`) // as the retention does after a day
  await keepWorking()

  expect(waiting).toBe(state === 'absent' ? 1 : 0)
  expect(settledCreations.keptFor).toContain('24 hours')
  expect(await places()).toEqual([])
  expect((await receipt())?.finishedAt).toEqual(expect.any(Date))
})

test('repeats of a creation that was given up are erased too', async () => {
  const first = await seedCreation('unknown')
  await erase('after_end')
  await db.query(`update creations set state = 'absent', settled_at = now()`)
  const second = await seedCreation('rejected')
  await supersede(first, second)
  await keepWorking()
  const voucher = await seedVoucher(db, site, { name: '2026-11-14_Quastenflosser', reference: 'QF-4711' })
  const third = await seedCreation('recorded')
  await db.query('update vouchers set creation_id = $1', [third])
  await db.query('update creations set voucher_id = $2 where id = $1', [third, voucher])
  await supersede(second, third)
  await keepWorking()
  await db.query('delete from creations where id = $1', [first]) // as the retention does after a day
  await keepWorking()
  const open = await receipt()
  await end(`x-${voucher}`)
  await keepWorking()

  expect(open).toMatchObject({ vouchers: 1, waiting: 1, finishedAt: null })
  expect(await places()).toEqual([])
  expect(await receipt()).toMatchObject({ vouchers: 1, waiting: 0, finishedAt: expect.any(Date) })
})

test('an Idempotency-Key that is used again after a day adds no other guest to the erasure', async () => {
  const first = await seedCreation('absent')
  await erase('after_end')
  const next = await seedCreation('rejected')
  await db.query(`update creations set controller_name = '2026-11-15_Karpfen' where id = $1`, [next])
  await supersede(first, next)
  await db.query(`update creations set settled_at = now() - interval '25 hours' where id = $1`, [first])
  await keepWorking()

  expect(await findText(db, 'Karpfen')).not.toEqual([])
})

test('a row of a running batch is erased once it has failed, or with its voucher', async () => {
  const [failing, making] = [await seedRow('waiting'), await seedRow('waiting')]
  await erase('after_end')
  const voucher = await seedVoucher(db, site, {
    name: '2026-11-14_Quastenflosser',
    batchId: making,
    reference: 'QF-4711',
  })
  await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [failing])
  await db.query(`update batch_rows set state = 'made', voucher_id = $2 where batch_id = $1`, [making, voucher])
  await keepWorking()
  const before = await receipt()
  await end(`x-${voucher}`)
  await keepWorking()

  expect(before).toMatchObject({ vouchers: 1, waiting: 1 })
  expect(await places()).toEqual([])
  expect(await listNextRows(db, { siteId: site, id: failing })).toEqual([])
})

test('a row whose voucher was deleted after its time is erased', async () => {
  await seedRow('made', { voucherId: uuidv7() })
  expect(await erase()).toMatchObject({ vouchers: 0, entries: 2, waiting: 0 })
  expect(await places()).toEqual([])
})

test('a delivery that waits is sent without the reference', async () => {
  const { id } = await create()
  const { rows } = await db.query<{ state: string }>('select state from deliveries where webhook_id = $1', [webhook])
  await end(id)
  await erase()

  expect(rows.length).toBe(1)
  expect(await places()).toEqual([])
  expect((await db.query('select data from events')).rows).toMatchObject([
    { data: { vouchers: [{ reference: null }] } },
  ])
})

test('a sync that reads the note on the controller brings no name back', async () => {
  const { id } = await create({ name: 'Karpfen', reference: 'KF-4711' })
  await end(id)
  await erase('refuse', 'Karpfen')
  await db.query('update sites set compared_list = null, adopts_vouchers = true')
  await syncSite(context, site)
  await syncSite(context, site)
  await db.query('update sites set adopts_vouchers = false')

  expect((await simulator.vouchers()).some(({ name }) => name.includes('Karpfen'))).toBe(true)
  expect(await findText(db, 'Karpfen', 'KF-4711')).toEqual([])
})

test('5,000 vouchers are erased in steps, and a request that dies is completed by the worker or a repeat', async () => {
  const seed = async () => {
    await db.query(
      `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, status, created_at)
       select $1, gen_random_uuid(), gen_random_uuid()::text, n::text, '2026-01-01_Quastenflosser', 'Quastenflosser', 1, 480, 'expired', now()
         from generate_series(1, 5000) n`,
      [site],
    )
  }
  // A new installation: the tables were analyzed when they had one row.
  await seedVoucher(db, site, { name: '2026-01-01_Quastenflosser', status: 'expired' })
  await erase()
  await db.query('analyze vouchers, erasure_items')
  await seed()
  const real = context.db.transaction
  const transaction = vi.spyOn(context.db, 'transaction')
  expect(await erase()).toMatchObject({ vouchers: 5_000, entries: 5_000, waiting: 0 })
  expect(transaction.mock.calls).toHaveLength(1 + 10)
  await seed()
  let calls = 0
  transaction.mockImplementation((work) => (++calls > 3 ? Promise.reject(new Error('killed')) : real(work)))
  await expect(erase()).rejects.toThrow('killed')
  transaction.mockRestore()
  const unfinished = await receipt()
  const repeated = await erase()
  await keepWorking()

  expect(unfinished).toMatchObject({ vouchers: 5_000, entries: 1_000, waiting: 4_000, finishedAt: null })
  expect(repeated).toMatchObject({ vouchers: 4_000, waiting: 0 })
  expect(await places()).toEqual([])
  expect((await listErasures(db, null, { last: undefined, limit: 5 })).map(({ waiting }) => waiting)).toEqual([
    0, 0, 0, 0,
  ])
})

test('a request erases the vouchers of at most 20 sites, and the worker erases the others', async () => {
  const siteIds = await Promise.all(range(21).map(() => seedSite(db)))
  for (const siteId of siteIds) await seedVoucher(db, siteId, { name: '2026-11-14_Quastenflosser', status: 'expired' })
  const guests = siteIds.map((siteId) => ({ siteId, name: 'Quastenflosser' }))
  const answer = await eraseGuests(context, testActor, { guests, reason: 'other', valid: 'refuse' })
  await keepWorking()

  expect(answer).toMatchObject({ vouchers: 21, entries: 20, waiting: 1, finishedAt: null })
  expect(await receipt()).toMatchObject({ entries: 21, waiting: 0, finishedAt: expect.any(Date) })
})

test('an erasure keeps the time of its end, and waits again if a backup brings back a voucher that still works', async () => {
  const voucher = await seedVoucher(db, site, { name: '2026-11-14_Quastenflosser', status: 'expired' })
  const { id } = await erase()
  const finishedAt = new Date('2026-11-15T00:00:00Z')
  await db.query('update erasures set finished_at = $1', [finishedAt])
  await continueErasure(context, id)
  const finished = await receipt()
  await db.query(`update vouchers set name = 'Quastenflosser', status = 'valid', erased_at = null`)
  await continueErasure(context, id)
  const waiting = await receipt()
  await end(`x-${voucher}`)
  await keepWorking()

  expect(finished?.finishedAt).toEqual(finishedAt)
  expect(waiting).toMatchObject({ waiting: 1, finishedAt: null })
  expect(await receipt()).toMatchObject({ waiting: 0, finishedAt: expect.any(Date) })
})

test('two requests and the worker erase the same guest at once; each voucher is counted once', async () => {
  for (let i = 0; i < 5; i++) await end((await create()).id)
  const results = await Promise.allSettled([erase(), erase(), keepWorking(), keepWorking()])
  const failed = results.filter((result) => result.status === 'rejected')
  expect(failed.length).toBeLessThan(2)
  // A request finds nobody if the other one was finished by then.
  for (const { reason } of failed) expect(reason).toMatchObject({ code: 'guest_not_found' })
  await keepWorking()

  expect(await places()).toEqual([])
  const { rows } = await db.query('select count(*)::integer as open from erasures where finished_at is null')
  expect(rows).toEqual([{ open: 0 }])
})

test('the worker erases nothing while the service is held', async () => {
  const { id } = await create()
  await erase('after_end')
  await end(id)
  await insertHold(db, { reason: 'command', backupTakenAt: null })
  await keepWorking()
  const held = await receipt()
  await db.query('delete from hold')
  await keepWorking()

  expect([held?.waiting, (await receipt())?.waiting]).toEqual([1, 0])
})

test('an erasure that fails does not hold up the others', async () => {
  const broken = await create({ name: 'Quastenflosser' })
  await erase('after_end')
  const other = await create({ name: 'Lungenfisch', reference: 'LF-4712' })
  await erase('after_end', 'Lungenfisch')
  await Promise.all([end(broken.id), end(other.id)])
  const repair = await breakErasing(db, 'Quastenflosser')
  await expect(keepWorking()).rejects.toThrow('this row is broken')

  expect(await findText(db, 'Lungenfisch', 'LF-4712')).toEqual([])
  expect(await places()).not.toEqual([])
  await repair()
  await keepWorking()
  expect(await places()).toEqual([])
})
