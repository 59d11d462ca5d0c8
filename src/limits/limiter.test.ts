import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { Unavailable } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { type Counter, createLimiter, postgresCounter, type Window } from './limiter.ts'
import { redisCounter } from './redis-counter.ts'

const db = await createTestDatabase()

/** A limiter, and its first store, which counts until the test sets `lost`. */
function losable() {
  const store = { count: 0, lost: false, resetMs: 60_000 }
  const counter = async (_key: string, known?: Window): Promise<Window> => {
    if (store.lost) throw new Unavailable('lost')
    store.count = Math.max(store.count, known?.count ?? 0) + 1
    return { count: store.count, resetMs: store.resetMs }
  }
  return { store, limiter: createLimiter(counter, postgresCounter(db)) }
}

test('a limit that was reached stays reached when the first store is lost', async () => {
  const { store, limiter } = losable()
  for (let i = 0; i < 70; i++) await limiter('reached', 60)
  store.lost = true
  const verdicts = await Promise.all(Array.from({ length: 50 }, () => limiter('reached', 60)))

  expect(verdicts.filter(({ allowed }) => allowed)).toEqual([])
})

test('requests counted before the loss still count after it, until the window ends', async () => {
  const { store, limiter } = losable()
  for (let i = 0; i < 40; i++) await limiter('half', 60)
  store.lost = true
  const verdicts = await Promise.all(Array.from({ length: 50 }, () => limiter('half', 60)))

  expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(20)
  expect(verdicts.every(({ resetSeconds }) => resetSeconds <= 60)).toBe(true)
})

test('a process that saw a higher count than the second store raises the count of that store', async () => {
  const { store: one, limiter: first } = losable()
  const { store: two, limiter: second } = losable()
  for (let i = 0; i < 5; i++) await first('raised', 60)
  for (let i = 0; i < 58; i++) await second('raised', 60)
  one.lost = true
  two.lost = true

  expect((await first('raised', 60)).remaining).toBe(54)
  expect((await second('raised', 60)).remaining).toBe(1)
  expect((await first('raised', 60)).remaining).toBe(0)
})

test('a window that ended before the loss is not counted', async () => {
  const { store, limiter } = losable()
  store.resetMs = 20
  for (let i = 0; i < 60; i++) await limiter('over', 60)
  await new Promise((resolve) => setTimeout(resolve, 50))
  store.lost = true

  expect(await limiter('over', 60)).toMatchObject({ allowed: true, remaining: 59 })
})

test('a store that is lost and back several times in a window allows exactly the limit', async () => {
  const redis = redisCounter({ url: 'redis://127.0.0.1:6379', prefix: `test-${randomUUID()}:`, onError: () => {} })
  onFileEnd(redis.close)
  await vi.waitFor(() => redis.count('warm'), 30_000)
  let lost = false
  const flapping: Counter = async (...request) => {
    if (lost) throw new Unavailable('lost')
    return redis.count(...request)
  }
  const limiter = createLimiter(flapping, postgresCounter(db))
  let allowed = 0
  for (let i = 0; i < 100; i++) {
    lost = i % 20 >= 10
    if ((await limiter('flapping', 60)).allowed) allowed += 1
  }

  expect(allowed).toBe(60)
})

test('the count of a window that has ended does not affect the next window', async () => {
  const answers = [
    { count: 100, resetMs: 30 },
    { count: 1, resetMs: 60_000 }, // the new window began a little before we expect the end of the old one
  ]
  const limiter = createLimiter(
    async () => {
      const answer = answers.shift()
      if (!answer) throw new Unavailable('lost')
      return answer
    },
    async (_key, known) => ({ count: (known?.count ?? 0) + 1, resetMs: 60_000 }),
  )
  for (const _ of [1, 2]) await limiter('next', 100)

  expect(await limiter('next', 100)).toMatchObject({ allowed: true, remaining: 98 })
})

test('a first store that loses its counts gives no new allowance', async () => {
  const { store, limiter } = losable()
  let allowed = 0
  for (let i = 0; i < 200; i++) {
    if (i % 50 === 0) store.count = 0
    if ((await limiter('flushed', 60)).allowed) allowed += 1
  }

  expect(allowed).toBe(60)
})
