import { setTimeout as pause } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { expect, test, vi } from 'vitest'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { createQueue } from '#queue/queue.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { report } from '#test/measuring.ts'
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
await addWebhook({ db, keyring: testKeyring }, testActor, {
  name: 'hook',
  format: 'generic',
  url: sink.url,
  siteIds: undefined,
})

async function notify(): Promise<string> {
  const voucherId = uuidv7()
  const created = { site, source: 'API: Test', vouchers: [{ id: voucherId, reference: null }] }
  await db.transaction((tx) => notifyCreated(tx, queue, created))
  return voucherId
}

const delivered = (voucherId: string, timeout: number) =>
  vi.waitFor(() => expect(sink.received.some(({ body }) => body.includes(voucherId))).toBe(true), { timeout })

test('a worker delivers again within 30 s after its connections to PostgreSQL went silent, without a restart', {
  timeout: 90_000,
}, async () => {
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
