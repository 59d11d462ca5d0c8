import { randomUUID } from 'node:crypto'
import { createClient } from '@redis/client'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { Unavailable } from '#db/database.ts'
import { deleteOldRows } from '#db/retention.queries.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import { type Counter, closedWindows, createLimiter, postgresCounter } from './limiter.ts'
import { redisCounter } from './redis-counter.ts'

const url = 'redis://127.0.0.1:6379'
const prefix = `test-${randomUUID()}:`
const db = await createTestDatabase()
const redis = redisCounter({ url, prefix, onError: () => {} })
const client = await createClient({ url, socket: { reconnectStrategy: false } }).connect()
await vi.waitFor(() => redis.count('ready'), 30_000)
afterAll(async () => {
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*` })) for (const key of keys) await client.del(key)
  client.destroy()
  redis.close()
})

type Store = { count: Counter; endWindow(key: string): Promise<unknown>; loseItsEnd?(key: string): Promise<unknown> }
const stores: Record<string, Store> = {
  PostgreSQL: {
    count: postgresCounter(db),
    endWindow: (key) => db.query('update rate_limits set ends_at = clock_timestamp() where key = $1', [key]),
  },
  Redis: { count: redis.count, endWindow: (key) => client.pExpire(`${prefix}limit:${key}`, 0) },
}

/**
 * A Redis that a busy machine lets answer after more than 100 ms counts as lost, and is not asked for a second. Such a test is
 * repeated, with another key.
 */
const patience = { retry: { count: 10, delay: 1_500, condition: /^Redis cannot be reached$/ } }

describe.each(Object.entries(stores))('on %s', patience, (_name, { count, endWindow }) => {
  test('the first request opens a window of 60 seconds; the others count in it', async () => {
    const key = randomUUID()

    const [first, second] = [await count(key), await count(key)]

    expect(first.count).toBe(1)
    expect(first.resetMs).toBeGreaterThan(59_000)
    expect(first.resetMs).toBeLessThanOrEqual(60_000)
    expect(second.count).toBe(2)
    expect(second.resetMs).toBeLessThanOrEqual(first.resetMs)
  })

  test('a window that has ended is followed by a whole new one', async () => {
    const key = randomUUID()
    await count(key)
    await count(key)
    await endWindow(key)

    const next = await count(key)

    expect(next.count).toBe(1)
    expect(next.resetMs).toBeGreaterThan(59_000)
  })

  test('1,000 concurrent requests each get their own number', async () => {
    const key = randomUUID()

    const windows = await Promise.all(Array.from({ length: 1_000 }, () => count(key)))

    expect(windows.map((window) => window.count).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 1_000 }, (_, i) => i + 1),
    )
  })
})

test('PostgreSQL, two processes: at most two statements per process at a time, and every request gets its own number', async () => {
  const key = randomUUID()
  const seen = { statements: 0, most: 0 }
  const process = () => {
    let underWay = 0
    return postgresCounter({
      async query(text, values) {
        seen.statements += 1
        underWay += 1
        seen.most = Math.max(seen.most, underWay)
        const result = await db.query(text, values)
        underWay -= 1
        return result as never
      },
    })
  }
  const [one, two] = [process(), process()]

  const numbers: Promise<number>[] = []
  for (let wave = 0; wave < 100; wave++) {
    for (const count of [one, two, one, one, two]) numbers.push(count(key).then((window) => window.count))
    if (wave % 10 === 0) await numbers.at(-1)
    else await new Promise((resolve) => setImmediate(resolve))
  }

  expect((await Promise.all(numbers)).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, i) => i + 1))
  expect(seen.most).toBe(2)
  expect(seen.statements).toBeLessThanOrEqual(200)
})

test('PostgreSQL: processes that count the same keys in a different order do not wait for each other forever', async () => {
  const keys = Array.from({ length: 100 }, () => randomUUID())
  const counters = [postgresCounter(db), postgresCounter(db), postgresCounter(db), postgresCounter(db)]

  for (let round = 0; round < 30; round++)
    await Promise.all(
      counters.flatMap((count, i) => (i % 2 ? keys : keys.toReversed()).map((key) => count(key))), // rejects at a deadlock
    )

  const windows = await Promise.all(keys.map((key) => postgresCounter(db)(key)))
  expect(new Set(windows.map(({ count }) => count))).toEqual(new Set([121]))
})

test('PostgreSQL: requests counted together after the end of a window open a whole new one', async () => {
  const count = postgresCounter(db)
  const key = randomUUID()
  await Promise.all([count(key), count(key)])
  await stores['PostgreSQL']?.endWindow(key)

  const windows = await Promise.all([count(key), count(key), count(key)])

  expect(windows.map((window) => window.count)).toEqual([1, 2, 3])
  for (const { resetMs } of windows) expect(resetMs).toBeGreaterThan(59_000)
})

test('a Redis key that lost its expiry gets a new one', patience, async () => {
  const key = randomUUID()
  await redis.count(key)
  await client.persist(`${prefix}limit:${key}`)

  expect((await redis.count(key)).resetMs).toBe(60_000)
})

test('closed windows are deleted, open ones stay', async () => {
  const [open, closed] = [randomUUID(), randomUUID()]
  await postgresCounter(db)(open)
  await postgresCounter(db)(closed)
  await db.query(`update rate_limits set ends_at = now() - interval '2 minutes' where key = $1`, [closed])

  expect(await deleteOldRows(db, closedWindows)).toBe(1)
  expect((await postgresCounter(db)(open)).count).toBe(2)
})

test('without Redis from the start, requests are rejected at once and the next store counts', async () => {
  const nowhere = redisCounter({ url: `redis://127.0.0.1:${await freePort()}`, prefix, onError: () => {} })

  await expect(nowhere.count('x')).rejects.toThrow(Unavailable)
  expect(await createLimiter(nowhere.count, postgresCounter(db))(randomUUID(), 5)).toEqual({
    allowed: true,
    limit: 5,
    remaining: 4,
    resetSeconds: 60,
  })
  nowhere.close()
})

test('when all stores are lost, the request fails and is not allowed', async () => {
  const lost: Counter = async () => {
    throw new Unavailable('lost')
  }

  await expect(createLimiter(lost, lost)('x', 5)).rejects.toThrow(Unavailable)
})
