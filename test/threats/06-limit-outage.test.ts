import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { call } from '#test/http-client.ts'
import { startRedis } from '#test/private-redis.ts'
import { report } from '#test/report.ts'
import { seedKey } from '#test/seed.ts'
import { startService } from '#test/service.ts'
import { startTcpProxy } from '#test/tcp-proxy.ts'

const limit = 60
const db = await createTestDatabase()
const [killed, hung] = [await startRedis(), await startRedis()]
const toPostgres = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(db.url).port) || 5432 })
const proxied = new URL(db.url)
proxied.host = `127.0.0.1:${toPostgres.port}`
const services = {
  killed: await startService(db.url, { REDIS_URL: killed.url }),
  hung: await startService(db.url, { REDIS_URL: hung.url }),
  withoutDatabase: await startService(proxied.href),
}

type Timed = { status: number; ms: number }

async function send(url: string, key: string, count: number): Promise<Timed[]> {
  const answers: Timed[] = []
  for (let sent = 0; sent < count; sent += 10) {
    const batch = Array.from({ length: 10 }, async () => {
      const begin = performance.now()
      const { status } = await call(`${url}/api/sites.php`, { headers: { 'x-api-key': key } })
      return { status, ms: performance.now() - begin }
    })
    answers.push(...(await Promise.all(batch)))
  }
  return answers
}

const accepted = (answers: Timed[]) => answers.filter(({ status }) => status === 200).length
const slowest = (answers: Timed[]) => Math.max(...answers.map(({ ms }) => ms))

test.each([
  ['killed', 'SIGKILL', killed, services.killed],
  ['hung', 'SIGSTOP', hung, services.hung],
] as const)(
  'Redis %s in mid-window: PostgreSQL counts on, nobody waits 300 ms, at most twice the limit',
  async (what, signal, redis, service) => {
    const { key } = await seedKey(db, { rateLimit: limit })
    await send(service.url, (await seedKey(db)).key, 50) // warm

    const before = await send(service.url, key, 40)
    redis.signal(signal)
    const after = await send(service.url, key, 400)
    report(`Redis ${what}: slowest answer in ms`, slowest(after))

    expect(accepted(before)).toBe(40)
    expect(accepted(after)).toBe(limit)
    expect(after.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
    expect(slowest(after)).toBeLessThan(300)
  },
)

test('Redis awake again: it counts again, exactly', async () => {
  const { key } = await seedKey(db, { rateLimit: limit })
  hung.signal('SIGCONT')
  await wait(1_500)
  await send(services.hung.url, (await seedKey(db, { rateLimit: 1000 })).key, 10) // one of these asks Redis again

  const answers = await send(services.hung.url, key, 200)

  expect(accepted(answers)).toBe(limit)
})

test('PostgreSQL cut: 503 with Retry-After, never let through; healed: served again', async () => {
  const { url } = services.withoutDatabase
  const { key } = await seedKey(db, { rateLimit: 1000 })
  expect(accepted(await send(url, key, 20))).toBe(20)

  toPostgres.cut()
  const cut = await call(`${url}/api/sites.php`, { headers: { 'x-api-key': key } })
  const others = await send(url, key, 50)
  const ready = await call(`${url}/readyz`)
  toPostgres.heal()

  expect(cut.status).toBe(503)
  expect(cut.headers['retry-after']).toBe('5')
  expect(cut.json()).toEqual({
    error: 'unavailable',
    message: 'Der Dienst ist vorübergehend nicht verfügbar, bitte später erneut versuchen',
  })
  expect(others.filter(({ status }) => status !== 503)).toEqual([])
  expect([ready.status, ready.json().reason]).toEqual([503, 'the database is out of reach'])
  expect((await call(`${url}/healthz`)).status).toBe(200)
  expect(accepted(await send(url, key, 20))).toBe(20)
})
