import { setTimeout as pause } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { expect, test, vi } from 'vitest'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import { createQueue } from '#queue/queue.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey, seedSite, seedWebhook } from '#test/data/seed.ts'
import { report, timeLimit } from '#test/measuring.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startService } from '#test/service.ts'

const recoverWithinMs = 30_000

const db = await createTestDatabase()
const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(db.url).port) || 5432 })
const proxied = new URL(db.url)
proxied.host = `127.0.0.1:${proxy.port}`
const queue = createQueue({ url: db.url, supervise: false, onError: () => {} })
await queue.start()
onFileEnd(queue.stop)
const site = { id: await seedSite(db), name: 'Haus' }
const sink = await startWebhookSink()
await seedWebhook(db, { url: sink.url })

async function notify(): Promise<string> {
  const voucherId = uuidv7()
  const created = { site, source: 'API: Test', vouchers: [{ id: voucherId, reference: null }] }
  await db.transaction((tx) => notifyCreated(tx, queue, created))
  return voucherId
}

const delivered = (voucherId: string, timeout: number) =>
  vi.waitFor(() => expect(sink.received.some(({ body }) => body.includes(voucherId))).toBe(true), { timeout })

test('a worker delivers again within 30 s after its connections to PostgreSQL went silent, without a restart', async () => {
  const worker = await startService(proxied.href, {}, 'worker')
  await delivered(await notify(), 30_000)

  proxy.halfOpen()
  await pause(3_000)
  proxy.heal()
  const healedAt = performance.now()
  const voucherId = await notify()

  await delivered(voucherId, recoverWithinMs)
  report('half-open for 3 s: delivered after the heal, in ms', Math.round(performance.now() - healedAt))
  expect(worker.process.exitCode).toBeNull()
})

test('an api answers again within 10 s after its connections to PostgreSQL went silent, whatever keys are used', async () => {
  const api = await startService(proxied.href, {}, 'api')
  const keys = await Promise.all(Array.from({ length: 8 }, async () => (await seedKey(db)).key))
  const list = (key: string) =>
    fetch(`${api.url}/api/vouchers.php?site_id=${site.id}`, { headers: { 'x-api-key': key } })
  expect((await Promise.all(keys.map(list))).map(({ status }) => status)).toEqual(keys.map(() => 200))

  proxy.halfOpen()
  const silentAt = performance.now()
  const during = Promise.all(keys.map(list))
  await pause(1_000)
  proxy.heal()
  const healedAt = performance.now()
  await vi.waitFor(async () => expect((await list(keys[0] as string)).status).toBe(200), { timeout: 30_000 })
  const recoveredMs = Math.round(performance.now() - healedAt)
  const statuses = (await during).map(({ status }) => status)

  report('half-open for 1 s: an api answers after the heal, in ms', recoveredMs)
  report('half-open for 1 s: the last answer, in ms', Math.round(performance.now() - silentAt))
  expect(recoveredMs).toBeLessThan(timeLimit(10_000))
  expect(new Set(statuses)).toEqual(new Set([503]))
})
