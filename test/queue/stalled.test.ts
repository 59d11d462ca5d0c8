import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { createTestDatabase, lockJobs } from '#test/data/database.ts'
import { report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { type Service, startService } from '#test/service.ts'

const script = fileURLToPath(new URL('./impatient-start.ts', import.meta.url))
const stalledAfterMs = 10_000

const ready = async ({ url }: Service) => {
  const { status, json } = await call(`${url}/readyz`)
  return [status, json()]
}
const isReady = (service: Service) =>
  vi.waitFor(async () => expect(await ready(service)).toEqual([200, { status: 'ready' }]), { timeout: 20_000 })

test('a process that cannot fetch jobs answers 503 at /readyz and exits with code 1', async () => {
  const db = await createTestDatabase()
  const service = await startService(db.url, {}, 'start', script)
  const ended = new Promise<number | null>((resolve) => service.process.once('close', resolve))
  await isReady(service)

  await lockJobs(db.url)
  const lockedAt = performance.now()
  await vi.waitFor(
    async () =>
      expect(await ready(service)).toEqual([503, { status: 'not_ready', reason: 'the worker fetches no jobs' }]),
    { timeout: 30_000, interval: 200 },
  )

  expect(await ended).toBe(1)
  report('no fetch for 10 s: the process ended after ms', Math.round(performance.now() - lockedAt))
  const errors = service.log.map((line) => JSON.parse(line)).filter(({ msg }) => /no jobs could be fetched/.test(msg))
  expect(errors).toMatchObject([{ level: 50, queues: expect.any(Array) }])
})

test('a process whose database is out of reach waits for it and does not exit', async () => {
  const db = await createTestDatabase()
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(db.url).port) || 5432 })
  const proxied = new URL(db.url)
  proxied.host = `127.0.0.1:${proxy.port}`
  const service = await startService(proxied.href, {}, 'start', script)
  await isReady(service)

  proxy.cut()
  await pause(1.5 * stalledAfterMs)
  const away = await ready(service)
  proxy.heal()

  expect(away).toEqual([503, { status: 'not_ready', reason: 'the database cannot be reached' }])
  await isReady(service)
  expect(service.process.exitCode).toBeNull()
})
