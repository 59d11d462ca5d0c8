import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { Unavailable } from '#db/database.ts'
import { report, timeLimit } from '#test/measuring.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import type { Window } from './limiter.ts'
import { redisCounter } from './redis-counter.ts'

/** A counter that reaches Redis through a proxy, and has counted once. */
async function startedCounter() {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: 6379 })
  const url = `redis://127.0.0.1:${proxy.port}`
  const counter = redisCounter({ url, prefix: `test-${randomUUID()}:`, onError: () => {} })
  onFileEnd(counter.close)
  const count = () => counter.count('key')
  await vi.waitFor(count, 30_000)
  return { proxy, count }
}

/** Sends a request every 50 ms until Redis counts one, and returns how long that took. */
async function msUntilCounted(count: () => Promise<Window>): Promise<number> {
  const begin = performance.now()
  await vi.waitFor(count, { timeout: 20_000, interval: 50 })
  return performance.now() - begin
}

/** Sends requests while Redis is lost. Each must be rejected at once, so that PostgreSQL can count it. */
async function loseRequests(count: () => Promise<Window>, forMs: number): Promise<void> {
  for (const begin = performance.now(); performance.now() - begin < forMs; await pause(50)) {
    await expect(count()).rejects.toThrow(Unavailable)
  }
}

describe.concurrent('a lost connection', () => {
  test.each([
    ['before the first replacement', 500],
    ['after replacements that were silent as well', 5_000],
  ])('that is half-open, healed %s: Redis counts again within about 5 s', async (_when, lostMs) => {
    const { proxy, count } = await startedCounter()

    proxy.halfOpen()
    await loseRequests(count, lostMs)
    proxy.heal()
    const ms = await msUntilCounted(count)
    report(`Redis counts again after a half-open connection of ${lostMs} ms, ms`, ms)

    expect(ms).toBeLessThan(timeLimit(5_500))
  })

  test('that is half-open is replaced without further requests', async () => {
    const { proxy, count } = await startedCounter()

    proxy.halfOpen()
    await expect(count()).rejects.toThrow(Unavailable)
    proxy.heal()
    await pause(5_500)

    expect((await count()).count).toBeGreaterThan(1)
  })

  test('that was cut: Redis counts again about a second after it is back', async () => {
    const { proxy, count } = await startedCounter()

    proxy.cut()
    await loseRequests(count, 2_000)
    proxy.heal()

    expect(await msUntilCounted(count)).toBeLessThan(timeLimit(3_000))
  })
})

test('an idle connection is kept', async () => {
  const { proxy, count } = await startedCounter()

  await pause(4_000)
  const begin = performance.now()
  await count()

  expect(proxy.accepted()).toBe(1)
  expect(performance.now() - begin).toBeLessThan(timeLimit(1_000))
})

test('a clock two hours ahead during a loss, then set back: Redis counts again as soon as with a correct clock', async () => {
  const { proxy, count } = await startedCounter()
  const now = Date.now.bind(Date)
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 7_200_000)

  proxy.hang()
  await expect(count()).rejects.toThrow(Unavailable)
  clock.mockRestore()
  proxy.heal()

  expect(await msUntilCounted(count)).toBeLessThan(timeLimit(5_500))
})
