import { expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { untilWaitingForLock } from '#test/data/lock-waits.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { itemOf } from '#test/public-id.ts'
import { updateCreationsFailed } from '../record/creations.queries.ts'
import { updateCreationsAbsent } from '../record/unsettled-creations.queries.ts'
import { runBatch } from './run-batch.ts'

const app = await startApp()
const { db } = app

type Limits = { perDay?: number | null; longest?: number | null }

async function setLimits(table: 'api_keys' | 'staff' | 'sites', id: string | number, { perDay, longest }: Limits) {
  await db.query(`update ${table} set vouchers_per_day = $2, longest_minutes = $3 where id::text = $1::text`, [
    id,
    perDay ?? null,
    longest ?? null,
  ])
}

/** A site on a controller of its own and a key, each with its limits. */
async function start({ site = {}, key = {} }: { site?: Limits; key?: Limits } = {}) {
  const simulator = await startSimulator()
  const siteId = await seedControlledSite(db, simulator)
  const seeded = await seedKey(db, { scope: 'write' })
  await setLimits('sites', siteId, site)
  await setLimits('api_keys', seeded.id, key)
  let number = 0
  return {
    simulator,
    siteId,
    key: seeded,
    made: async () => (await simulator.vouchers()).length,
    create: (body: object = {}, headers: Record<string, string> = {}) => {
      number += 1
      const sent = JSON.stringify({ site_id: siteId, name: `Guest ${number}`, ...body })
      return app.call('/api/v2/vouchers', { method: 'POST', key: seeded.key, body: sent, headers })
    },
  }
}

/** The vouchers in the counters of a scope, by day. */
async function counted(scope: string): Promise<number[]> {
  const { rows } = await db.query<{ vouchers: number }>(
    'select vouchers from issuing_counters where scope = $1 order by day',
    [scope],
  )
  return rows.map(({ vouchers }) => vouchers)
}

const creationOf = async (siteId: number) =>
  (
    await db.query<{ id: string; state: string }>(
      'select id, state from creations where site_id = $1 order by id desc limit 1',
      [siteId],
    )
  ).rows[0] as { id: string; state: string }

test('the first voucher beyond the limit of a key is rejected without a creation and without a call of the controller', async () => {
  const { create, key, siteId, made } = await start({ key: { perDay: 2 } })
  const statuses = [(await create()).status, (await create()).status]

  const rejected = await create()

  expect(statuses).toEqual([201, 201])
  expect(rejected.status).toBe(429)
  expect(rejected.json()).toMatchObject({ error: 'daily_limit_reached' })
  expect(rejected.headers['voucher-outcome']).toBe('none')
  const seconds = Number(rejected.headers['retry-after'])
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(25 * 3_600)
  expect(await made()).toBe(2)
  expect((await db.query('select from creations where site_id = $1', [siteId])).rowCount).toBe(2)
  expect(await counted(`key:${key.id}`)).toEqual([2])
})

test('many requests at once: exactly the limit is recorded', async () => {
  const { create, siteId, made } = await start({ site: { perDay: 5 } })

  const answers = await Promise.all(Array.from({ length: 20 }, () => create()))

  const statuses = answers.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([...Array(5).fill(201), ...Array(15).fill(429)])
  expect(await made()).toBe(5)
  expect(await counted(`site:${siteId}`)).toEqual([5])
})

test('with two limits, a voucher that one of them rejects is counted in neither', async () => {
  const first = await start({ site: { perDay: 1 }, key: { perDay: 3 } })
  const second = await start({ site: { perDay: 3 }, key: { perDay: 1 } })

  for (const { create, siteId, key } of [first, second]) {
    expect([(await create()).status, (await create()).status]).toEqual([201, 429])
    expect(await counted(`site:${siteId}`)).toEqual([1])
    expect(await counted(`key:${key.id}`)).toEqual([1])
  }
})

test('without a limit, nothing is counted', async () => {
  const { create, siteId, key } = await start()

  expect((await create()).status).toBe(201)

  expect([await counted(`site:${siteId}`), await counted(`key:${key.id}`)]).toEqual([[], []])
})

test('the limit of a person counts the vouchers at all sites', async () => {
  const [here, there] = [await start(), await start()]
  const person = await seedPerson(db)
  await setLimits('staff', person.id, { perDay: 2 })
  const create = (siteId: number) =>
    app.call('/api/v2/vouchers', {
      method: 'POST',
      session: person.session,
      body: JSON.stringify({ site_id: siteId, name: 'Guest' }),
    })

  const statuses = []
  for (const { siteId } of [here, there, here]) statuses.push((await create(siteId)).status)

  expect(statuses).toEqual([201, 201, 429])
  expect(await counted(`staff:${person.id}`)).toEqual([2])
})

test('a repeat gets the first answer and counts nothing, even when the limit is reached or is lowered', async () => {
  const { create, siteId } = await start({ site: { perDay: 1 } })
  const body = { name: 'Once' }
  const first = await create(body, { 'idempotency-key': 'once' })

  const repeats = [await create(body, { 'idempotency-key': 'once' })]
  await setLimits('sites', siteId, { perDay: 1, longest: 1 })
  repeats.push(await create(body, { 'idempotency-key': 'once' }))

  for (const repeat of repeats) {
    expect(repeat.status).toBe(201)
    expect(repeat.json().code).toBe(first.json().code)
  }
  expect(await counted(`site:${siteId}`)).toEqual([1])
})

test('a voucher that the controller rejects is given back, and its Idempotency-Key can be used again', async () => {
  const { create, siteId, simulator } = await start({ site: { perDay: 1 } })
  expect((await create()).status).toBe(201)
  await setLimits('sites', siteId, { perDay: 2 })
  await simulator.fault('refuse', { on: 'create' })

  const rejected = await create({ name: 'Ada' }, { 'idempotency-key': 'again' })

  expect(rejected.status).toBe(500)
  expect((await creationOf(siteId)).state).toBe('rejected')
  expect(await counted(`site:${siteId}`)).toEqual([1])
  expect((await create({ name: 'Ada' }, { 'idempotency-key': 'again' })).status).toBe(201)
  expect(await counted(`site:${siteId}`)).toEqual([2])
})

test('an outcome that is not known stays counted, and is given back once when no voucher is found', async () => {
  const { create, siteId, simulator } = await start({ site: { perDay: 1 } })
  await simulator.fault('reset', { on: 'create' })
  await create()
  const { id, state } = await creationOf(siteId)
  expect([state, await counted(`site:${siteId}`), (await create()).status]).toEqual(['unknown', [1], 429])

  await updateCreationsAbsent(db, siteId, [id])
  await updateCreationsAbsent(db, siteId, [id])
  await updateCreationsFailed(db, siteId, [id], 'rejected')

  expect(await counted(`site:${siteId}`)).toEqual([0])
  expect((await create()).status).toBe(201)
})

test('a creation is given back in the counters that it took, also on another day and after the limits were changed', async () => {
  const { create, siteId, key, simulator } = await start({ site: { perDay: 9 }, key: { perDay: 9 } })
  const yesterday = new Date(app.context.clock.now().getTime() - 24 * 3_600_000)
  const clock = vi.spyOn(app.context.clock, 'now').mockReturnValue(yesterday)
  expect((await create()).status).toBe(201)
  await simulator.fault('reset', { on: 'create' })
  await create()
  const { id } = await creationOf(siteId)
  clock.mockRestore()
  expect((await create()).status).toBe(201)
  await setLimits('sites', siteId, {})
  await setLimits('api_keys', key.id, { perDay: 1 })

  await updateCreationsAbsent(db, siteId, [id])

  expect(await counted(`site:${siteId}`)).toEqual([1, 1])
  expect(await counted(`key:${key.id}`)).toEqual([1, 1])
})

test('a voucher that turns up after it was given back is counted again', async () => {
  const { create, siteId } = await start({ site: { perDay: 2 } })
  await create()
  const { id } = await creationOf(siteId)
  await db.query(`update creations set state = 'absent' where id = $1`, [id])
  expect(await counted(`site:${siteId}`)).toEqual([0])

  await db.query(`update creations set state = 'recorded' where id = $1`, [id])

  expect(await counted(`site:${siteId}`)).toEqual([1])
})

test('a lower limit holds for the next request in every process', async () => {
  const { create, siteId } = await start({ site: { perDay: 9 } })
  expect((await create()).status).toBe(201)

  await setLimits('sites', siteId, { perDay: 1 })

  expect((await create()).status).toBe(429)
})

test.each([
  ['just before midnight in summer', '2026-07-14T21:59:59Z', 'Europe/Vienna', '2026-07-14T22:00:00.000Z'],
  ['on the day that has 23 hours', '2026-03-28T23:00:00Z', 'Europe/Vienna', '2026-03-29T22:00:00.000Z'],
  ['on the day that has 25 hours', '2026-10-24T22:00:00Z', 'Europe/Vienna', '2026-10-25T23:00:00.000Z'],
  ['where it is a day later', '2026-11-18T12:00:00Z', 'Pacific/Kiritimati', '2026-11-19T10:00:00.000Z'],
])('the day of a site ends at midnight in its time zone: %s', async (_, now, timeZone, until) => {
  const { create, siteId } = await start({ site: { perDay: 1 } })
  await db.query('update sites set time_zone = $2 where id = $1', [siteId, timeZone])
  const clock = vi.spyOn(app.context.clock, 'now').mockReturnValue(new Date(now))
  onTestFinished(() => clock.mockRestore())
  expect((await create()).status).toBe(201)

  const rejected = await create()
  clock.mockReturnValue(new Date(until))
  const next = await create()

  expect(rejected.json().message).toContain(until)
  expect(next.status).toBe(201)
  expect(await counted(`site:${siteId}`)).toEqual([1, 1])
})

/** Starts a batch without a worker. Returns the rows of the batch after each run. */
async function startBatch(site: Awaited<ReturnType<typeof start>>, names: string[]) {
  const body = JSON.stringify({ site_id: site.siteId, names, expire_minutes: 60 })
  const answer = await app.call('/api/v2/batches', { method: 'POST', key: site.key.key, body })
  const { id } = answer.json()
  return {
    run: async () => {
      await runBatch(app.context, itemOf(id))
      const { rows } = (await app.call(`/api/v2/batches/${id}/rows?limit=200`, { key: site.key.key })).json()
      return rows.map(({ outcome, failure }: { outcome: string; failure: string | null }) => failure ?? outcome)
    },
    retry: () => app.call(`/api/v2/batches/${id}/retry`, { method: 'POST', key: site.key.key }),
  }
}

test('a batch makes as many vouchers as the limits allow, and the rest of its rows fail with the reason', async () => {
  const site = await start({ site: { perDay: 3 }, key: { perDay: 4 } })
  const batch = await startBatch(site, ['Ada', 'Ada', 'Bob', 'Bob', 'Cleo'])

  expect(await batch.run()).toEqual(['made', 'made', 'made', 'limit_reached', 'limit_reached'])
  expect([await counted(`site:${site.siteId}`), await counted(`key:${site.key.id}`)]).toEqual([[3], [3]])
  expect(await site.made()).toBe(3)

  await setLimits('sites', site.siteId, { perDay: 9 })
  await batch.retry()
  expect(await batch.run()).toEqual(['made', 'made', 'made', 'made', 'limit_reached'])
  expect([await counted(`site:${site.siteId}`), await counted(`key:${site.key.id}`)]).toEqual([[4], [4]])
})

test('rows that the controller rejects are given back, and those that wait again are counted when they are sent again', async () => {
  const site = await start({ site: { perDay: 2 } })
  const batch = await startBatch(site, ['Ada', 'Ada'])
  await site.simulator.fault('too-many', { on: 'create' })

  await batch.run()
  const afterFailure = await counted(`site:${site.siteId}`)

  expect(afterFailure).toEqual([0])
  await vi.waitFor(async () => expect(await batch.run()).toEqual(['made', 'made']), { timeout: 20_000 })
  expect(await counted(`site:${site.siteId}`)).toEqual([2])
})

test('creations, batches and settling at once do not deadlock, and the counters stay exact', async () => {
  const site = await start({ site: { perDay: 100 }, key: { perDay: 100 } })
  const batches = await Promise.all([1, 2].map(() => startBatch(site, Array(5).fill('Ada'))))
  const create = async (number: number) => {
    if (number % 10 === 0) await site.simulator.fault('refuse', { on: 'create' })
    return site.create({ name: 'Same' }, { 'idempotency-key': `key-${number % 10}` })
  }

  const answers = await Promise.all([
    ...Array.from({ length: 30 }, (_, number) => create(number)),
    ...batches.map(({ run }) => run().then(() => undefined)),
  ])

  expect(answers.filter((answer) => answer?.status === 503)).toEqual([])
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from creations where site_id = $1 and state not in ('rejected', 'absent')`,
    [site.siteId],
  )
  expect(await counted(`site:${site.siteId}`)).toEqual([rows[0]?.count])
  expect(await counted(`key:${site.key.id}`)).toEqual([rows[0]?.count])
  expect(rows[0]?.count).toBeGreaterThan(0)
})

test('a creation that is rejected while its Idempotency-Key is used again does not deadlock', async () => {
  const { create, siteId, simulator } = await start({ site: { perDay: 9 } })
  await simulator.fault('reset', { on: 'create' })
  await create({ name: 'Ada' }, { 'idempotency-key': 'k' })
  const { id } = await creationOf(siteId)

  let repeat: ReturnType<typeof create> | undefined
  await db.transaction(async (tx) => {
    await updateCreationsFailed(tx, siteId, [id], 'rejected')
    repeat = create({ name: 'Ada' }, { 'idempotency-key': 'k' })
    await untilWaitingForLock(db)
  })

  expect((await repeat)?.status).toBe(201)
  expect(await counted(`site:${siteId}`)).toEqual([1])
})

test.each([
  ['minutes', { expire_minutes: 61 }, 'expire_minutes', 'out_of_range'],
  ['an end', { valid_until: minutesAhead(70) }, 'valid_until', 'too_late'],
])('a voucher with %s beyond the longest duration is rejected, alone and in a batch', async (_, end, field, code) => {
  for (const limits of [{ site: { longest: 60 } }, { key: { longest: 60 }, site: { longest: 90 } }]) {
    const { create, siteId, key } = await start(limits)
    const body = JSON.stringify({ site_id: siteId, names: ['Ada'], ...end })
    const inBatch = await app.call('/api/v2/batches', { method: 'POST', key: key.key, body })
    const alone = await create(end)
    for (const answer of [alone, inBatch]) {
      expect(answer.status).toBe(400)
      expect(answer.json().errors[0]).toMatchObject({ field, code })
    }
    expect((await create({ expire_minutes: 60 })).status).toBe(201)
    expect((await create({ expire_minutes: 480, valid_until: minutesAhead(50) })).status).toBe(201)
    const extendable = { valid_until: minutesAhead(50), extendable_until: minutesAhead(500) }
    expect((await create(extendable)).status).toBe(201)
  }
})

function minutesAhead(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString()
}
