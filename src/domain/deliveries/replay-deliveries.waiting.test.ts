import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { startTestWorker } from '#test/app.ts'
import { seedSite, seedWebhook, testActor } from '#test/data/seed.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import type { ReplayChoice } from './deliveries.queries.ts'
import { replayDeliveries } from './replay-deliveries.ts'

const { db, context, notify } = await startTestWorker({ WEBHOOK_RETRY_SCALE: '0.00001' })
const site = { id: await seedSite(db), name: 'Haus' }
const sink = await startWebhookSink()
const replay = (choice: ReplayChoice, name = 'hook', atMost?: number) =>
  replayDeliveries(context, testActor, name, choice, atMost)

type Delivery = { id: string; eventId: string; state: string; attempts: number }

async function deliveries(): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>(
    'select id, event_id as "eventId", state, attempts from deliveries order by created_at, id',
  )
  return rows
}

const idsReceived = () => sink.received.map(({ headers }) => headers['webhook-id']).toSorted()

beforeEach(async () => {
  await db.query('delete from webhooks')
  await seedWebhook(db, { name: 'hook', url: sink.url })
  sink.answerWith(204)
  sink.received.length = 0
  await notify(site, 5)
  await vi.waitFor(
    async () => expect((await deliveries()).every(({ state }) => state === 'delivered')).toBe(true),
    30_000,
  )
  for (const [i, { id }] of (await deliveries()).entries())
    await db.query(`update deliveries set created_at = $2::timestamptz + $1 * interval '1 hour' where id = $3`, [
      i,
      '2026-11-14T00:00Z',
      id,
    ])
  sink.received.length = 0
})

test.each(['id', 'eventId'] as const)('one delivery by its %s: the same webhook-id again', async (name) => {
  const [, second] = await deliveries()

  expect(await replay({ delivery: second?.[name] as string })).toEqual({ replayed: 1, isCut: false })
  await vi.waitFor(
    async () => expect((await deliveries())[1]).toMatchObject({ state: 'delivered', attempts: 2 }),
    30_000,
  )
  expect(idsReceived()).toEqual([second?.eventId])
})

test('a time span includes its beginning and excludes its end', async () => {
  const span = { since: new Date('2026-11-14T01:00Z'), until: new Date('2026-11-14T03:00Z'), onlyFailed: false }
  const chosen = (await deliveries()).slice(1, 3).map(({ eventId }) => eventId)

  expect(await replay(span)).toEqual({ replayed: 2, isCut: false })
  await vi.waitFor(() => expect(sink.received).toHaveLength(2), { timeout: 20_000 })
  expect(idsReceived()).toEqual(chosen.toSorted())
  const { rows } = await db.query(
    `select details from audit where action = 'webhook.replayed' order by at desc limit 1`,
  )
  expect(rows).toMatchObject([{ details: { name: 'hook', count: 2, since: '2026-11-14T01:00:00.000Z' } }])
})

test('only the failed deliveries; a replay gets all attempts again', async () => {
  const [first, , third] = (await deliveries()) as Delivery[]
  await db.query(`update deliveries set state = 'failed', attempts = 10, rung = 10 where id = any($1)`, [
    [first?.id, third?.id],
  ])
  sink.answerWith(() => (sink.received.length <= 6 ? 500 : 204))
  const all = { since: new Date(0), until: new Date('2100-01-01'), onlyFailed: true }

  expect(await replay(all, 'hook', 1)).toEqual({ replayed: 1, isCut: true })
  expect(await replay(all, 'hook', 2)).toEqual({ replayed: 1, isCut: false })
  await vi.waitFor(
    async () => expect((await deliveries()).every(({ state }) => state === 'delivered')).toBe(true),
    15_000,
  )
  expect(new Set(idsReceived())).toEqual(new Set([first?.eventId, third?.eventId]))
})

test('a delivery that still waits is sent at once, and only once', async () => {
  sink.answerWith({ status: 503, headers: { 'retry-after': '10' } })
  await notify(site)
  await vi.waitFor(async () => expect((await deliveries()).at(-1)?.attempts).toBe(1), { timeout: 20_000 })
  const waiting = (await deliveries()).at(-1) as Delivery
  sink.answerWith(204)
  await replay({ delivery: waiting.id })
  await vi.waitFor(async () => expect((await deliveries()).at(-1)?.state).toBe('delivered'), { timeout: 9_500 })
  await new Promise((resolve) => setTimeout(resolve, 11_000))

  expect(sink.received).toHaveLength(2)
})

test('more deliveries than fit in one transaction: each has an audit entry, none is left out', async () => {
  await db.query(
    `insert into events (id, type, data) select gen_random_uuid(), 'voucher.created', '{}' from generate_series(1, 1010)`,
  )
  await db.query(
    `insert into deliveries (id, event_id, webhook_id, state)
     select gen_random_uuid(), e.id, w.id, 'failed' from events e, webhooks w on conflict do nothing`,
  )
  const count = (await deliveries()).length

  expect(await replay({ since: new Date(0), until: new Date('2100-01-01'), onlyFailed: false })).toEqual({
    replayed: count,
    isCut: false,
  })
  expect((await deliveries()).filter(({ state }) => state === 'failed')).toEqual([])
  const { rows } = await db.query(
    `select (details->>'count')::int as count from audit where action = 'webhook.replayed' order by at desc limit 2`,
  )
  expect(rows.toReversed()).toEqual([{ count: 1000 }, { count: count - 1000 }])
  await vi.waitFor(() => expect(sink.received.length).toBeGreaterThan(0), 30_000)
})

test('an unknown webhook or delivery is an error; a disabled webhook must be enabled first', async () => {
  const id = randomUUID()
  expect(await replay({ since: new Date(), until: new Date(), onlyFailed: false })).toEqual({
    replayed: 0,
    isCut: false,
  })
  await expect(replay({ delivery: id })).rejects.toMatchObject({
    code: 'delivery_not_found',
    details: { name: 'hook', id },
  })
  await expect(replay({ delivery: id }, 'nobody')).rejects.toThrow('webhook_not_found')
  await db.query(`update webhooks set disabled_at = now(), disabled_reason = 'gone'`)
  await expect(replay({ delivery: id })).rejects.toMatchObject({
    code: 'webhook_disabled',
    details: { name: 'hook', reason: 'gone' },
  })
})
