import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedWebhook, testActor } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { findDueBatch, listDueBatches, noteStalled } from '../batches/batches.queries.ts'
import { runBatch } from '../creating/run-batch.ts'
import { findDueDelivery, listOverdueDeliveries } from '../deliveries/deliveries.queries.ts'
import { findHold, insertHold } from '../hold.queries.ts'
import { listSitesWithDueWithdrawals, takeDueWithdrawals } from '../record/due-withdrawals.queries.ts'
import { takeUnsettledCreations } from '../record/unsettled-creations.queries.ts'
import { withdrawDue } from '../revocations/withdraw-due.ts'
import { updateWebhookFailing } from '../webhooks/webhooks.queries.ts'
import { findHeldWork } from './held-work.queries.ts'
import { holdByCommand, holdRestored, resume } from './hold.ts'

const app = await startApp()
const { db } = app
const simulator = await startSimulator()
const site = await seedControlledSite(db, simulator)
const { key } = await seedKey(db, { scope: 'write' })
const webhook = await seedWebhook(db)

const create = (name: string, idempotencyKey: string) =>
  app.call('/api/vouchers.php', {
    method: 'POST',
    key,
    headers: { 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ site_id: site, name }),
  })

async function resumeNow(): Promise<void> {
  const since = (await findHold(db))?.since as Date
  expect(await resume(db, testActor, since, await findHeldWork(db, since))).toBe(true)
}

/** Inserts one piece of each kind of due work. Returns the ids of the batch and of the delivery. */
async function seedDueWork() {
  const id = 'gen_random_uuid()'
  await db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
     values ($1, ${id}, ${id}, 'request', now(), now())`,
    [site],
  )
  await db.query(
    `insert into creations (site_id, id, actor, request_hash, controller_name, max_uses, expire_minutes, sent_at, lease_until)
     values ($1, ${id}, 'key:nobody', '', 'x', 1, 60, now(), now())`,
    [site],
  )
  const { rows: batches } = await db.query<{ id: string }>(
    `with batch as (
       insert into batches (site_id, id, actor, api_key_id, request_hash, max_uses, expire_minutes, next_run_at)
       values ($1, ${id}, 'key:nobody', ${id}, '', 1, 60, now()) returning id
     ), row as (
       insert into batch_rows (site_id, batch_id, number, controller_name) select $1, id, 1, '2026-11-17_Row' from batch
     )
     select id from batch`,
    [site],
  )
  const { rows: deliveries } = await db.query<{ id: string }>(
    `with event as (insert into events (id, type, site_id, data) values (${id}, 'voucher.created', $1, '{}') returning id)
     insert into deliveries (id, event_id, webhook_id, next_attempt_at)
     select ${id}, event.id, $2, now() - interval '2 minutes' from event returning id`,
    [site, webhook],
  )
  return { batch: { siteId: site, id: batches[0]?.id as string }, delivery: deliveries[0]?.id as string }
}

test('while the service is held no work is taken, and all of it is taken afterwards', async () => {
  const { batch, delivery } = await seedDueWork()
  const { rows } = await db.query<{ id: string }>('select controller_id as id from sites where id = $1', [site])
  const take = async () => ({
    sites: (await listSitesWithDueWithdrawals(db, 'small')).siteIds.length,
    withdrawals: (await takeDueWithdrawals(db, site, 'small', 10)).length,
    creations: (await takeUnsettledCreations(db, 10)).length,
    batches: (await listDueBatches(db)).batches.length,
    batchOfController: Number((await findDueBatch(db, rows[0]?.id as string)) !== undefined),
    deliveries: Number((await findDueDelivery(db, delivery, 0)) !== undefined),
    overdue: (await listOverdueDeliveries(db, 60, undefined, 10)).length,
  })
  await holdByCommand(db, testActor)
  const held = await take()
  await runBatch(app.context, batch) // a run that began before the hold
  const made = await simulator.creates()
  await db.query(`update batches set next_run_at = now() - interval '1 second'`)
  await resumeNow()

  expect(Object.values(held)).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect(made).toBe(0)
  expect(Object.values(await take())).toEqual([1, 1, 1, 1, 1, 1, 1])
})

test('while the service is held a known Idempotency-Key gets its voucher again, and a new one 503', async () => {
  const first = await create('Anna', 'known')
  await holdByCommand(db, testActor)
  const [repeated, rejected] = [await create('Anna', 'known'), await create('Berta', 'new')]
  await resumeNow()

  expect([first.status, repeated.status, repeated.json().code]).toEqual([201, 201, first.json().code])
  expect([rejected.status, rejected.json().error]).toEqual([503, 'unavailable'])
  expect([rejected.headers['retry-after'], rejected.headers['voucher-outcome']]).toEqual(['5', 'unknown'])
  expect((await create('Berta', 'new')).status).toBe(201)
})

test('a repeat that is rejected while the service is held leaves the first attempt its Idempotency-Key', async () => {
  await simulator.fault('refuse')
  const failed = await create('Carl', 'failed')
  await holdByCommand(db, testActor)
  const held = await create('Carl', 'failed')
  const { rows } = await db.query(`select state from creations where idempotency_key = 'failed'`)
  await resumeNow()

  expect([failed.status, held.status]).toEqual([500, 503])
  expect(rows).toHaveLength(1)
})

test('a hold that begins just before the repeat is committed leaves the first attempt its Idempotency-Key', async () => {
  await simulator.fault('refuse')
  await create('Dora', 'late')
  const transaction = app.context.db.transaction
  vi.spyOn(app.context.db, 'transaction').mockImplementationOnce(async (work) => {
    await insertHold(db, { reason: 'command', backupTakenAt: null })
    return transaction(work)
  })
  const held = await create('Dora', 'late')
  const { rows } = await db.query(`select state from creations where idempotency_key = 'late'`)
  await resumeNow()

  expect([held.status, rows]).toEqual([503, [{ state: 'rejected' }]])
  expect((await create('Dora', 'late')).status).toBe(201)
})

test.each(['inSlot', 'inBulk'] as const)('nothing is created if the hold begins during a wait (%s)', async (slots) => {
  const { batch } = await seedDueWork()
  await simulator.forget()
  vi.spyOn(app.context.controllers, slots).mockImplementationOnce(async (_, work) => {
    await holdByCommand(db, testActor)
    return work(true)
  })
  const status = slots === 'inSlot' ? (await create('Emil', 'waits')).status : undefined
  if (slots === 'inBulk') await runBatch(app.context, batch)
  const created = await simulator.creates()
  const { rows } = await db.query('select state, attempts from batch_rows where batch_id = $1', [batch.id])
  await resumeNow()

  expect([status, created]).toEqual([slots === 'inSlot' ? 503 : undefined, 0])
  expect(rows).toEqual([{ state: 'waiting', attempts: 0 }])
  if (slots === 'inSlot') expect((await create('Emil', 'waits')).status).toBe(201)
})

test('nothing is withdrawn if the hold begins during a wait', async () => {
  const { id, code } = await checkIn()
  await endStay(id, 0)
  vi.spyOn(app.context.controllers, 'inBulk').mockImplementationOnce(async (_, work) => {
    await holdByCommand(db, testActor)
    return work(true)
  })
  await withdrawDue(app.context, site)
  const isLeft = await isOnController(code)
  await resumeNow()
  await db.query(`update withdrawals set next_attempt_at = now() - interval '1 second' where settled_at is null`) // the lease ends after 12 s
  await withdrawDue(app.context, site)

  expect([isLeft, await isOnController(code)]).toEqual([true, false])
})

test('if the hold begins between two parts of a withdrawal, the vouchers of the first part are recorded as revoked', async () => {
  const stays = [await checkIn(), await checkIn()]
  for (const { id } of stays) await endStay(id, 0)
  await simulator.fault('refuse', { on: 'delete' }) // so they are deleted one by one
  vi.spyOn(app.context.controllers, 'inBulk')
    .mockImplementationOnce((_, work) => work(false))
    .mockImplementationOnce((_, work) => work(false))
    .mockImplementationOnce(async (_, work) => {
      await holdByCommand(db, testActor)
      return work(true)
    })
  await withdrawDue(app.context, site)
  const { rows } = await db.query(
    `select v.code, v.status, w.outcome, w.failure from vouchers v join withdrawals w on w.voucher_id = v.id
      where v.code = any ($1) order by v.status`,
    [stays.map(({ code }) => code)],
  )
  const areLeft = await Promise.all(rows.map(({ code }) => isOnController(code)))
  await resumeNow()

  expect(rows).toMatchObject([
    { status: 'revoked', outcome: 'revoked', failure: null },
    { status: 'valid', outcome: null, failure: null },
  ])
  expect(areLeft).toEqual([false, true])
})

test('`resume` restarts the time after which a batch fails and a webhook is disabled', async () => {
  const { batch } = await seedDueWork()
  await db.query(`update batches set held_up_since = now() - interval '1 hour' where id = $1`, [batch.id])
  await db.query(`update webhooks set failing_since = now() - interval '6 days' where id = $1`, [webhook])
  await holdByCommand(db, testActor)
  await resumeNow()

  expect(await noteStalled(db, batch)).toBeLessThan(60)
  expect(await updateWebhookFailing(db, webhook)).toMatchObject({ isNews: false, forLong: false })
})

test('of two holds at once, one begins', async () => {
  const second = await db.transaction(async (tx) => {
    await insertHold(tx, { reason: 'command', backupTakenAt: null })
    const second = holdByCommand(db, testActor)
    await vi.waitFor(async () => {
      const { rows } = await db.query(
        `select from pg_stat_activity where wait_event = 'transactionid' and query like '%into hold%'`,
      )
      expect(rows).toHaveLength(1)
    }, 20_000)
    return { began: second }
  })
  const hasBegun = await second.began
  await resumeNow()

  expect(hasBegun).toBe(false)
})

test('`resume` does not end a newer hold than the one that was confirmed', async () => {
  await holdByCommand(db, testActor)
  const since = (await findHold(db))?.since as Date
  const work = await findHeldWork(db, since)
  await resumeNow()
  const none = await resume(db, testActor, since, work)
  await holdByCommand(db, testActor)
  const newer = await resume(db, testActor, since, work)
  const hold = await findHold(db)
  await resumeNow()

  expect([none, newer]).toEqual([false, false])
  expect(hold?.since.getTime()).toBeGreaterThan(since.getTime())
})

const minutesAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

/** Creates a voucher for a stay. */
async function checkIn() {
  const stay = { site_id: site, name: 'Room 12', valid_until: minutesAhead(60), extendable_until: minutesAhead(600) }
  const answer = await app.call('/api/v2/vouchers', { method: 'POST', key, body: JSON.stringify(stay) })
  expect(answer.status, answer.text).toBe(201)
  return answer.json() as { id: string; code: string }
}

/** Lets the stay end now, after this many attempts to withdraw the voucher. */
async function endStay(id: string, attempts: number, reason = 'valid_until'): Promise<void> {
  await db.query(
    `update withdrawals set due_at = now() - interval '1 second', next_attempt_at = now() - interval '1 second', attempts = $2, reason = $3 where voucher_id = $1`,
    [id.slice(id.indexOf('-') + 1), attempts, reason],
  )
}

const extend = (id: string) =>
  app.call(`/api/v2/vouchers/${id}`, { method: 'PATCH', key, body: JSON.stringify({ valid_until: minutesAhead(300) }) })

const isOnController = async (code: string) =>
  (await simulator.vouchers()).some((voucher) => voucher.code === code && !voucher.deleted)

test.each([
  { begins: 'a restore', attempts: 0, hold: () => holdRestored(db, testActor, new Date()) },
  { begins: 'a restore', attempts: 3, hold: () => holdRestored(db, testActor, new Date()) },
  { begins: '`hold`', attempts: 0, hold: () => holdByCommand(db, testActor) },
])('a stay that ended after $begins, with $attempts earlier attempts, can be extended until `resume`', async (row) => {
  const { id, code } = await checkIn()
  await row.hold()
  await endStay(id, row.attempts)
  const extended = await extend(id)
  await resumeNow()
  await withdrawDue(app.context, site)

  expect([extended.status, await isOnController(code)]).toEqual([200, true])
})

test.each([
  { what: 'an attempt that began before `hold`', attempts: 1, reason: 'valid_until', hold: holdByCommand },
  {
    what: 'a requested revocation',
    attempts: 0,
    reason: 'request',
    hold: (...[, actor]: Parameters<typeof holdByCommand>) => holdRestored(db, actor, new Date()),
  },
])('while the service is held, $what still rejects a change', async ({ attempts, reason, hold }) => {
  const { id } = await checkIn()
  await hold(db, testActor)
  await endStay(id, attempts, reason)
  const extended = await extend(id)
  await resumeNow()

  expect([extended.status, extended.json().error]).toEqual([409, 'voucher_being_revoked'])
})
