import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { expect, test, vi } from 'vitest'
import { loadConfig } from '#config.ts'
import { type Context, createContext } from '#context.ts'
import { deliver } from '#domain/deliveries/deliver.ts'
import type { DeliveryJob } from '#domain/deliveries/enqueue-deliveries.ts'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite, seedWebhook } from '#test/data/seed.ts'
import { testEnvironment } from '#test/environment.ts'
import { report } from '#test/measuring.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const db = await createTestDatabase()
const site = { id: await seedSite(db), name: 'Haus' }
const sink = await startWebhookSink()
await seedWebhook(db, { url: sink.url })

await db.query('update webhooks set is_slow = false') // as after its first fast answer

/** The statements of this process, with the connection that sent them. */
const sent: { client: pg.Client; text: string }[] = []
const send = pg.Client.prototype.query
vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: any[]) {
  sent.push({ client: this, text: String(args[0]?.text ?? args[0]) })
  return (send as any).apply(this, args)
})

/** A process that only records, or only delivers. No sweep disturbs the counts. */
async function startProcess(): Promise<Context> {
  const context = createContext(loadConfig(testEnvironment(db.url)), 'api')
  await context.start()
  onFileEnd(context.close)
  return context
}

async function startDelivering(): Promise<void> {
  const context = await startProcess()
  const limits = { atOnce: 20, perGroupHere: 4, perWiderGroupHere: 6 } // as in the worker
  await context.queue.work<DeliveryJob>('attempt', limits, (job) => deliver(context, job))
}

const recorder = await startProcess()

const record = () =>
  recorder.db.transaction((tx) => {
    const vouchers = [{ id: uuidv7(), reference: null }]
    return notifyCreated(tx, recorder.queue, { site, source: 'API: Test', vouchers })
  })

async function allSettled(): Promise<void> {
  const isLeft = `select from deliveries where state = 'pending' union all select from pgboss.job where state <= 'active'`
  await vi.waitFor(async () => expect((await db.query(isLeft)).rowCount).toBe(0), { timeout: 20_000, interval: 5 })
}

/** Statements of this test and of timers, whatever the number of deliveries. Heartbeats of jobs are sent by a timer. */
const isBesideDeliveries =
  /select from deliveries where state|select clock_timestamp|pg_notify|^select 1$|advisory|heartbeat_on = /

/** Delivers one notification after another, and counts the statements that this takes after the recording. */
async function deliverOneByOne(count: number) {
  const mine = new Set<string>()
  let [fetches, others] = [0, 0]
  for (let i = 0; i < count; i++) {
    await record()
    sent.length = 0
    await allSettled()
    for (const { text } of sent) {
      if (/skip locked/i.test(text)) fetches++
      else if (!isBesideDeliveries.test(text)) {
        others++
        mine.add(text)
      }
    }
  }
  return { fetches: fetches / count, statements: others / count, texts: mine }
}

test('a delivery takes three statements and at most two fetches, with one worker and with four', async () => {
  await startDelivering()
  await record()
  await allSettled()
  const one = await deliverOneByOne(40)
  for (let i = 1; i < 4; i++) await startDelivering()
  const four = await deliverOneByOne(40)
  report('fetches and other statements per delivery with 1 worker', [one.fetches, one.statements])
  report('fetches and other statements per delivery with 4 workers', [four.fetches, four.statements])

  expect([...four.texts].map((text) => text.trim().slice(0, 30))).toHaveLength(3)
  expect(one.statements).toBe(3)
  expect(four.statements).toBe(3)
  expect(one.fetches).toBeLessThanOrEqual(2)
  expect(four.fetches).toBeLessThanOrEqual(2)
})

test('a transaction that records contains no NOTIFY; the worker is woken after the commit', async () => {
  sent.length = 0
  await record()
  await vi.waitFor(() => expect(sent.some(({ text }) => /notify/i.test(text))).toBe(true))
  const begin = sent.findIndex(({ text }) => text === 'begin')
  const { client } = sent[begin] as { client: pg.Client }
  const inTransaction = sent.filter((statement) => statement.client === client).map(({ text }) => text)
  const commit = sent.findIndex((statement) => statement.client === client && statement.text === 'commit')

  expect(inTransaction).toHaveLength(4) // begin, the event with its deliveries, their jobs, commit
  expect(inTransaction.filter((text) => /notify/i.test(text))).toEqual([])
  expect(sent.findIndex(({ text }) => /notify/i.test(text))).toBeGreaterThan(commit)
  await allSettled()
})

test('a job that succeeded leaves no row behind', async () => {
  await Promise.all(Array.from({ length: 10 }, record))
  await allSettled()

  expect((await db.query('select from pgboss.job')).rowCount).toBe(0)
})
