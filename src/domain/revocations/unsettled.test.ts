import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { untilWaitingForLock } from '#test/data/lock-waits.ts'
import { seedKey } from '#test/data/seed.ts'
import { dialects } from '#test/network/simulator.ts'
import { itemOf } from '#test/public-id.ts'
import { prepareSites } from '#test/site-in-trouble.ts'
import { startOutage } from '../controllers/controller-outages.queries.ts'
import { runBatch } from '../creating/run-batch.ts'
import { listSitesWithDueWithdrawals } from '../record/due-withdrawals.queries.ts'
import { findSiteOnController, type SiteOnController } from '../sites/sites.queries.ts'

const app = await startApp()
const open = await prepareSites(app)
const { key } = await seedKey(app.db, { scope: 'write' })
const onIntegration = dialects[0] as (typeof dialects)[0]

/** A site where check-ins have a reference, and check-outs revoke by it. */
async function start(dialect: (typeof dialects)[0]) {
  const one = await open(dialect)
  const post = (path: string, body: object) =>
    app.call(`/api/v2${path}`, { method: 'POST', key, body: JSON.stringify(body) })
  const read = async (path: string) => (await app.call(`/api/v2${path}`, { key })).json()
  return {
    ...one,
    checkIn: (reference: string) => post('/vouchers', { site_id: one.siteId, name: 'Gast', reference }),
    checkOut: async (filter: object) => (await post('/revocations', { filter })).json(),
    revocation: (id: string) => read(`/revocations/${id}`),
    rows: async (id: string) => (await read(`/revocations/${id}/rows`)).rows,
    batch: async (body: object) => {
      const { id } = (await post('/batches', { site_id: one.siteId, expire_minutes: 60, ...body })).json()
      const place = itemOf(id)
      return {
        id,
        run: () => runBatch(app.context, place),
        cancel: () => post(`/batches/${id}/cancel`, {}),
        read: () => read(`/batches/${id}`),
      }
    },
    makeDue: () =>
      app.db.query(`update withdrawals set next_attempt_at = now() - interval '1 second' where site_id = $1`, [
        one.siteId,
      ]),
  }
}

test.each(dialects)(
  '$dialect: a check-out during a check-in with an unknown outcome withdraws the voucher when it is found',
  async (dialect) => {
    const one = await start(dialect)
    await one.simulator.fault('created-then-reset')
    const lost = await one.checkIn('R-1')
    const revocation = await one.checkOut({ reference: 'R-1' })
    await one.withdraw()
    const meanwhile = await one.revocation(revocation.id)
    await one.settle()
    await one.makeDue()
    await one.withdraw()

    expect([lost.status, lost.headers['voucher-outcome']]).toEqual([500, 'unknown'])
    expect(revocation).toMatchObject({ state: 'running', total: 1, pending: 1 })
    expect(meanwhile).toMatchObject({ state: 'running', pending: 1 })
    expect(await one.revocation(revocation.id)).toMatchObject({ state: 'done', total: 1, revoked: 1 })
    expect([await one.onController(), await one.valid()]).toEqual([[], []])
  },
)

test.each(dialects)(
  '$dialect: the check-out of a check-in that made nothing has the outcome `ended`',
  async (dialect) => {
    const one = await start(dialect)
    await one.simulator.fault('reset')
    await one.checkIn('R-2')
    const { id } = await one.checkOut({ reference: 'R-2' })
    await one.age(121)
    await one.settle()
    await one.withdraw()

    expect(await one.revocation(id)).toMatchObject({ state: 'done', total: 1, ended: 1 })
    expect(await one.rows(id)).toMatchObject([{ outcome: 'ended', failure: null }])
  },
)

test.each(dialects)('$dialect: a voucher that turns up long after the check-out is withdrawn', async (dialect) => {
  const one = await start(dialect)
  await one.simulator.fault('created-then-reset')
  await one.checkIn('R-3')
  await one.simulator.fault('empty', { on: 'list', times: 9 }) // hides the voucher from every reader until then
  await one.age(121)
  await one.settle()
  await one.simulator.forgetFaults()
  expect(await one.states()).toEqual(['absent'])
  expect(await one.checkOut({ reference: 'R-3' })).toMatchObject({ state: 'done', total: 0 })
  await one.sync()
  await one.withdraw()

  expect([await one.onController(), await one.valid()]).toEqual([[], []])
})

test('a check-out does not affect a later check-in with the same reference', async () => {
  const one = await start(dialects[0] as (typeof dialects)[0])
  await one.simulator.fault('reset')
  await one.checkIn('R-4')
  await one.checkOut({ reference: 'R-4' })
  await one.age(121)
  await one.settle()
  const { code } = (await one.checkIn('R-4')).json()
  await one.withdraw()

  expect(await one.onController()).toEqual([code])
})

test('a batch that is cancelled and revoked while its call hangs leaves no vouchers', async () => {
  const one = await start(dialects[0] as (typeof dialects)[0])
  const batch = await one.batch({ name: 'Event', count: 20 })
  await one.simulator.fault('hang-after')
  const running = batch.run()
  await vi.waitFor(async () => expect(await one.simulator.vouchers()).toHaveLength(21), { timeout: 30_000 })
  await batch.cancel()
  const { id } = await one.checkOut({ batch_id: batch.id })
  await running
  await app.db.query(`update creations set lease_until = now() - interval '1 second' where site_id = $1`, [one.siteId])
  await one.settle()
  await one.withdraw()
  await batch.run()

  expect(await one.revocation(id)).toMatchObject({ state: 'done', total: 20, revoked: 20 })
  expect(await one.onController()).toEqual([])
  expect(await batch.read()).toMatchObject({ state: 'done', made: 20 })
})

test('a check-out cancels rows of a batch that were not sent yet', async () => {
  const one = await start(dialects[0] as (typeof dialects)[0])
  const doomed = await one.batch({ names: ['Ada', 'Grace'], reference: 'B-1' })
  const kept = await one.batch({ names: ['Alan'], reference: 'B-2' })
  const revocation = await one.checkOut({ reference: 'B-1' })
  for (const each of [doomed, kept]) await each.run()

  expect(revocation).toMatchObject({ state: 'done', total: 0 })
  expect(await doomed.read()).toMatchObject({ state: 'cancelled', made: 0, cancelled: 2 })
  expect(await kept.read()).toMatchObject({ state: 'done', made: 1 })
})

test('after a check-out, rows of a batch that made nothing are not sent again', async () => {
  const one = await start(dialects[0] as (typeof dialects)[0])
  const batch = await one.batch({ name: 'Event', count: 3, reference: 'B-3' })
  await one.simulator.fault('reset')
  await batch.run()
  const revocation = await one.checkOut({ reference: 'B-3' })
  await one.age(121)
  await one.settle()
  await batch.run()
  await one.withdraw()

  expect(revocation).toMatchObject({ state: 'running', total: 3, pending: 3 })
  expect(await one.revocation(revocation.id)).toMatchObject({ state: 'done', ended: 3 })
  expect(await batch.read()).toMatchObject({ state: 'cancelled', made: 0, cancelled: 3 })
  expect(await one.onController()).toEqual([])
})

test.each(dialects)(
  '$dialect: a voucher that is expired in the record is deleted on the controller as well',
  async (dialect) => {
    const one = await start(dialect)
    const { id } = (await one.checkIn('R-5')).json()
    await app.db.query(
      `update vouchers set status = 'expired', expires_at = now() - interval '1 hour' where site_id = $1 and reference = 'R-5'`,
      [one.siteId],
    )
    const revocation = (await app.call(`/api/v2/vouchers/${id}`, { method: 'DELETE', key })).json()
    await one.withdraw()

    expect(await one.revocation(revocation.id)).toMatchObject({ state: 'done', ended: 1 })
    expect(await one.onController()).toEqual([])
  },
)

test('a revocation whose voucher is found later has the outcome `revoked`, even if it was tried before', async () => {
  const one = await start(onIntegration)
  await one.simulator.fault('created-then-reset')
  await one.checkIn('R-6')
  const { id } = await one.checkOut({ reference: 'R-6' })
  await one.withdraw() // the voucher is not known yet
  await one.settle()
  await one.withdraw()

  expect(await one.revocation(id)).toMatchObject({ state: 'done', revoked: 1, ended: 0 })
  expect(await one.onController()).toEqual([])
})

test('a revocation that arrives while a voucher is being recorded withdraws it', async () => {
  const one = await start(onIntegration)
  await one.simulator.fault('created-then-reset')
  await one.checkIn('R-7')
  const made = (await one.simulator.vouchers()).at(-1)
  const [written, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  onTestFinished(() => mayCommit.resolve()) // otherwise the database could not be dropped after a failure
  const recording = app.db.transaction(async (tx) => {
    await tx.query(
      `with settled as (
       update creations set state = 'recorded', settled_at = now(), voucher_id = id, answer = '{}'
        where site_id = $1 and reference = 'R-7' returning id, api_key_id, controller_name, name)
     insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, reference, api_key_id, created_at)
     select $1, id, $2, $3, controller_name, name, 1, 480, 'R-7', api_key_id, now() from settled`,
      [one.siteId, made?.id, made?.code],
    )
    written.resolve()
    await mayCommit.promise
  })
  await written.promise
  const revoking = one.checkOut({ reference: 'R-7' })
  await untilWaitingForLock(app.db)
  mayCommit.resolve()
  await recording
  const { id, total } = await revoking
  await one.withdraw()

  expect(total).toBe(1)
  expect(await one.revocation(id)).toMatchObject({ state: 'done', revoked: 1 })
  expect(await one.onController()).toEqual([])
})

test('an outage ends on a controller whose sites are all inactive, and its vouchers are withdrawn', async () => {
  const one = await start(onIntegration)
  const { id } = (await one.checkIn('R-8')).json()
  const site = (await findSiteOnController(app.db, one.siteId)) as SiteOnController
  await startOutage(app.db, site.controllerId)
  await app.call(`/api/v2/vouchers/${id}`, { method: 'DELETE', key })
  await app.db.query('update sites set active = false where id = $1', [one.siteId])
  await one.probe()

  expect((await listSitesWithDueWithdrawals(app.db, 'small')).siteIds).toContain(one.siteId)
  await one.withdraw()
  expect(await one.onController()).toEqual([])
})

test('a revocation of both a voucher and its creation ends, and withdraws the voucher once', async () => {
  const one = await start(onIntegration)
  await one.checkIn('R-9')
  await app.db.query(`update creations set id = gen_random_uuid() where site_id = $1 and reference = 'R-9'`, [
    one.siteId,
  ])
  await app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, revocation_id, reason, due_at, next_attempt_at)
     select $1, gen_random_uuid(), unnest(array[id, voucher_id]), gen_random_uuid(), 'request', now(), now()
       from creations where site_id = $1 and reference = 'R-9'`,
    [one.siteId],
  )
  await app.db.query('update withdrawals set revocation_id = $2 where site_id = $1', [one.siteId, randomUUID()])
  await one.withdraw()

  const { rows } = await app.db.query('select outcome from withdrawals where site_id = $1 order by outcome', [
    one.siteId,
  ])
  expect(rows).toEqual([{ outcome: 'ended' }, { outcome: 'revoked' }])
  expect(await one.onController()).toEqual([])
})

test('a check-out covers a creation that waits for its controller', async () => {
  const one = await start(onIntegration)
  await one.simulator.fault('slow', { delayMs: 1_200, times: 4 })
  const inSlots = [1, 2, 3, 4].map((n) => one.checkIn(`R-10-${n}`))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const waiting = one.checkIn('R-11')
  await vi.waitFor(async () => {
    const { rowCount } = await app.db.query(`select from creations where site_id = $1 and reference = 'R-11'`, [
      one.siteId,
    ])
    expect(rowCount).toBe(1)
  }, 20_000)
  const revocation = await one.checkOut({ reference: 'R-11' })
  await Promise.all([...inSlots, waiting])
  await one.withdraw()

  expect(revocation).toMatchObject({ state: 'running', pending: 1 })
  expect(await one.revocation(revocation.id)).toMatchObject({ state: 'done', revoked: 1 })
  expect(await one.onController()).toHaveLength(4)
})

test.each([
  ['its site is deactivated', `update sites set active = false where id = $1`, 404],
  [
    'its controller loses its credentials',
    `update controllers c set secret = null from sites s where s.id = $1 and c.id = s.controller_id`,
    500,
  ],
])('a creation that waits for its controller makes nothing after %s', async (_what, change, status) => {
  const one = await start(onIntegration)
  await one.simulator.fault('slow', { delayMs: 1_200, times: 4 })
  const inSlots = [1, 2, 3, 4].map((n) => one.create(`slot-${n}`))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const waiting = one.create('k')
  await new Promise((resolve) => setTimeout(resolve, 300))
  await app.db.query(change, [one.siteId])
  await Promise.all(inSlots)
  const answer = await waiting

  expect([answer.status, answer.headers['voucher-outcome']]).toEqual([status, 'none'])
  expect(await one.onController()).toHaveLength(4)
})

test('a creation that gets no slot is settled, so its Idempotency-Key can be used again', async () => {
  const one = await start(onIntegration)
  await one.simulator.fault('slow', { delayMs: 2_500, times: 4 })
  const inSlots = [1, 2, 3, 4].map((n) => one.create(`slot-${n}`))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const busy = await one.create('k')
  await Promise.all(inSlots)

  expect([busy.status, busy.headers['voucher-outcome']]).toEqual([500, 'none'])
  expect((await one.create('k')).status).toBe(201)
  expect(await one.onController()).toHaveLength(5)
})

test.each(['rejected', 'absent'])(
  'rows of a batch that turn out %s while a check-out waits for a lock are not made',
  async (state) => {
    const one = await start(onIntegration)
    // A creation with the same reference is being recorded, and the check-out waits for its lock.
    await one.simulator.fault('created-then-reset')
    await one.checkIn('B-9')
    const batch = await one.batch({ name: 'B', count: 3, reference: 'B-9' })
    await one.simulator.fault('reset')
    await batch.run()
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
    const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
    const recording = app.db.transaction(async (tx) => {
      await tx.query(`select from creations where site_id = $1 and reference = 'B-9' and batch_id is null for update`, [
        one.siteId,
      ])
      locked()
      await mayCommit
    })
    await isLocked
    const revoking = one.checkOut({ reference: 'B-9' })
    await untilWaitingForLock(app.db)
    // Meanwhile it turns out that nothing was made for the rows.
    await app.db.query(
      `update creations set state = $2, settled_at = now() where (site_id, id) in (
           select site_id, id from creations where site_id = $1 and batch_id is not null for update skip locked)`,
      [one.siteId, state],
    )
    const running = batch.run()
    await new Promise((resolve) => setTimeout(resolve, 300))
    commit()
    await Promise.all([recording, revoking, running])
    await batch.run()

    expect(await batch.read()).toMatchObject({ made: 0, cancelled: 3, waiting: 0 })
  },
)

test('a filter with `created_after` covers a creation that is under way, because its voucher is recorded later', async () => {
  const one = await start(onIntegration)
  await one.simulator.fault('created-then-reset')
  await one.checkIn('R-12')
  const { rows } = await app.db.query<{ at: Date }>('select now() as at')
  const revocation = await one.checkOut({ reference: 'R-12', created_after: rows[0]?.at.toISOString() })

  expect(revocation).toMatchObject({ total: 1, pending: 1 })
})
