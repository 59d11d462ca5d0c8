import { v7 as uuidv7 } from 'uuid'
import { expect, test, vi } from 'vitest'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedWebhook } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { median, percentile, report, size } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink, type WebhookSink } from '#test/network/webhook-sink.ts'
import { startService } from '#test/service.ts'

const perSite = 20
const hangingSites = 3
const hanging = perSite * hangingSites

/** An event that waits for a hanging attempt waits up to 15 s. In CI the machine may be busy with other tests. */
const limitMs = size(12_000, 1_000)

const app = await startApp()
await startService(app.db.url, {}, 'worker')
const { key } = await seedKey(app.db, { scope: 'write' })
const simulator = await startSimulator('--login-limit', '0')
const site = await seedControlledSite(app.db, simulator)
const healthy = await startWebhookSink('127.0.0.2')
await subscribe(healthy, site)

async function subscribe({ url }: WebhookSink, siteId: number): Promise<void> {
  await seedWebhook(app.db, { url, siteIds: [siteId] })
}

/** Sites with many webhooks on one host. */
async function startHost(address: string): Promise<{ sink: WebhookSink; sites: number[] }> {
  const sink = await startWebhookSink(address)
  const sites: number[] = []
  for (const _ of range(hangingSites)) sites.push(await seedControlledSite(app.db, simulator))
  for (const id of sites) for (const _ of range(perSite)) await subscribe(sink, id)
  return { sink, sites }
}

async function notify(siteIds: number[]): Promise<void> {
  for (const id of siteIds) {
    const created = { site: { id, name: 'x' }, source: 'x', vouchers: [{ id: uuidv7(), reference: null }] }
    await app.db.transaction((tx) => notifyCreated(tx, app.context.queue, created))
  }
}

const until = (isDone: () => boolean) =>
  vi.waitFor(() => expect(isDone()).toBe(true), { timeout: 150_000, interval: 5 })

async function create(): Promise<void> {
  const body = JSON.stringify({ site_id: site, name: 'Gast' })
  expect((await app.call('/api/v2/vouchers', { method: 'POST', key, body })).status).toBe(201)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** How long the event of one new voucher takes to arrive at each of these receivers, in ms. */
async function arrivals(...sinks: WebhookSink[]): Promise<number[]> {
  const before = sinks.map(({ received }) => received.length)
  const startedAt = performance.now()
  await create()
  return Promise.all(
    sinks.map(async ({ received }, i) => {
      await until(() => received.length > (before[i] as number))
      return performance.now() - startedAt
    }),
  )
}

async function measure(): Promise<{ arrived: number[]; creations: number[] }> {
  const [arrived, creations]: [number[], number[]] = [[], []]
  for (const _ of range(size(3, 10))) arrived.push(...(await arrivals(healthy)))
  for (const _ of range(size(20, 100))) creations.push(await timed(create))
  return { arrived, creations }
}

type Measured = Awaited<ReturnType<typeof measure>>

function reportBoth(what: string, alone: Measured, beside: Measured): void {
  report(`${what}: an event of another receiver alone, and beside them, median and longest, ms`, [
    median(alone.arrived),
    median(beside.arrived),
    Math.max(...beside.arrived),
  ])
  report(`${what}: creations of another caller alone and beside them, p95, ms`, [
    percentile(alone.creations, 95),
    percentile(beside.creations, 95),
  ])
}

test(`${hanging} webhooks on a host that never answers delay neither another receiver nor the first event of a new one`, {
  timeout: 600_000,
}, async () => {
  await arrivals(healthy)
  const alone = await measure()
  const { sink, sites } = await startHost('127.0.0.3')
  sink.answerWith('hang')
  await notify(sites)
  await until(() => sink.received.length >= 2)

  const fresh = await startWebhookSink('127.0.0.4')
  await subscribe(fresh, site)
  const [other, first] = (await arrivals(healthy, fresh)) as [number, number]
  const beside = await measure()
  beside.arrived.push(other)
  reportBoth(`${hanging} webhooks that never answered`, alone, beside)
  report('the first event of a new webhook beside them, ms', first)

  expect(Math.max(first, ...beside.arrived)).toBeLessThan(limitMs)
  await app.db.query('delete from webhook_sites where site_id = any ($1)', [sites])
})

test(`a host with ${hanging} webhooks that begins to hang does not delay another receiver`, {
  timeout: 600_000,
}, async () => {
  const { sink, sites } = await startHost('127.0.0.5')
  await notify(sites)
  await until(() => sink.received.length === hanging)
  await vi.waitFor(async () => {
    const { rowCount } = await app.db.query('select from webhook_sites join webhooks w on w.id = webhook_id where site_id = any ($1) and is_slow', [sites]) // biome-ignore format: one line
    expect(rowCount).toBe(0)
  }, 60_000)
  const alone = await measure()
  sink.answerWith('hang')
  await notify(sites)
  await until(() => sink.received.length >= hanging + 2)

  const beside = await measure()
  reportBoth(`a host with ${hanging} webhooks that begins to hang`, alone, beside)

  expect(Math.max(...beside.arrived)).toBeLessThan(limitMs)
})
