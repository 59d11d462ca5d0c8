import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { startRedis } from '#test/data/private-stores.ts'
import { seedKey } from '#test/data/seed.ts'
import { isLong, report, timeLimit } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { startService } from '#test/service.ts'

const limit = 60
const db = await createTestDatabase()
const [killed, hung, halfOpen] = [await startRedis(), await startRedis(), await startRedis()]
const toHalfOpen = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(halfOpen.url).port) })
const toPostgres = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(db.url).port) || 5432 })
const proxied = new URL(db.url)
proxied.host = `127.0.0.1:${toPostgres.port}`
/** The pools are small, because four services and other tests share the 100 connections of the server. */
const env = { DATABASE_POOL_SIZE: '4' }
const services = {
  killed: await startService(db.url, { ...env, REDIS_URL: killed.url }),
  hung: await startService(db.url, { ...env, REDIS_URL: hung.url }),
  halfOpen: await startService(db.url, { ...env, REDIS_URL: `redis://127.0.0.1:${toHalfOpen.port}` }),
  withoutDatabase: await startService(proxied.href, env),
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

/** Sends requests with new keys until PostgreSQL no longer counts them, and returns how long that took. */
async function msUntilRedisCounts(url: string): Promise<number> {
  const begin = performance.now()
  const countByRedis = async () => {
    const { key, id } = await seedKey(db, { rateLimit: limit })
    expect((await call(`${url}/api/sites.php`, { headers: { 'x-api-key': key } })).status).toBe(200)
    expect((await db.query('select from rate_limits where key = $1', [id])).rowCount).toBe(0)
  }
  await vi.waitFor(countByRedis, { timeout: 20_000, interval: 100 })
  return performance.now() - begin
}

test.each([
  ['killed', () => killed.signal('SIGKILL'), services.killed],
  ['hung', () => hung.signal('SIGSTOP'), services.hung],
  ['half-open', toHalfOpen.halfOpen, services.halfOpen],
] as const)(
  'Redis is %s in mid-window: PostgreSQL continues the count, exactly the limit is accepted, nobody waits long',
  async (what, lose, service) => {
    const { key } = await seedKey(db, { rateLimit: limit })
    await send(service.url, (await seedKey(db)).key, 50) // warm

    const before = await send(service.url, key, 40)
    lose()
    const after = await send(service.url, key, 400)
    report(`Redis ${what}: slowest answer in ms`, slowest(after))

    expect(before.filter(({ status }) => status !== 200)).toEqual([])
    expect(accepted(before) + accepted(after)).toBe(limit)
    expect(after.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
    expect(slowest(after)).toBeLessThan(isLong ? 300 : 10_000) // in CI others use the processors too
  },
)

test('after Redis was stopped and continued, it counts exactly again', async () => {
  const { key } = await seedKey(db, { rateLimit: limit })
  hung.signal('SIGCONT')
  await msUntilRedisCounts(services.hung.url)

  const answers = await send(services.hung.url, key, 200)

  expect(accepted(answers)).toBe(limit)
})

test('after Redis heals, it counts exactly within about 5 s, even if the old connection stays half-open', async () => {
  const { url } = services.halfOpen
  const { key } = await seedKey(db, { rateLimit: limit })
  await wait(4_000) // by now the service has replaced its connection by another that is silent as well

  toHalfOpen.heal()
  const ms = await msUntilRedisCounts(url)
  report('Redis half-open and healed: counts again after ms', ms)

  expect(ms).toBeLessThan(timeLimit(5_500))
  expect(accepted(await send(url, key, 200))).toBe(limit)
})

test('without PostgreSQL every request gets 503 with Retry-After, and later requests are served again', async () => {
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
  expect([ready.status, ready.json().reason]).toEqual([503, 'the database cannot be reached'])
  expect((await call(`${url}/healthz`)).status).toBe(200)
  expect(accepted(await send(url, key, 20))).toBe(20)
})
