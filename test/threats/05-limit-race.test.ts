import { once } from 'node:events'
import { Agent } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { startRedis } from '#test/data/private-stores.ts'
import { seedKey } from '#test/data/seed.ts'
import { keepProcessorsBusy } from '#test/load.ts'
import { isLong, report, size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const redis = await startRedis()
const limit = 60
const stores = { Redis: { REDIS_URL: redis.url }, PostgreSQL: {} }

/** Four processes for one test. Together with those of other tests they must not need more connections than PostgreSQL has. */
async function startFour(env: Record<string, string>): Promise<{ urls: string[]; stop: () => Promise<string> }> {
  const settings = { DATABASE_POOL_SIZE: '5', ...env }
  const services = await Promise.all([1, 2, 3, 4].map(() => startService(db.url, settings)))
  const closed = Promise.all(services.map(({ process }) => once(process, 'close')))
  /** Returns all that they have logged. */
  const stop = async () => {
    await Promise.all(services.map((service) => service.stop('SIGKILL')))
    await closed
    return services.flatMap(({ log }) => log).join('\n')
  }
  onTestFinished(async () => void (await stop()))
  return { urls: services.map(({ url }) => url), stop }
}

type Race = { rounds: number; parallel: number }

/** How often each status was answered, per round. In each round a new key sends `parallel` requests to each process. */
async function race(urls: string[], { rounds, parallel }: Race): Promise<Record<number, number>[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel })
  const statuses: Record<number, number>[] = []
  for (let round = 0; round < rounds; round++) {
    const { key } = await seedKey(db, { rateLimit: limit })
    const send = (url: string) => call(`${url}/api/sites.php`, { headers: { 'x-api-key': key }, agent })
    const answers = await Promise.all(urls.flatMap((url) => Array.from({ length: parallel }, () => send(url))))
    const byStatus = Map.groupBy(answers, ({ status }) => status)
    statuses.push(Object.fromEntries([...byStatus].map(([status, { length }]) => [status, length])))
  }
  agent.destroy()
  return statuses
}

/** Exactly the limit is accepted in every round; all others get 429. */
function exactly({ rounds, parallel }: Race): Record<number, number>[] {
  return Array.from({ length: rounds }, () => ({ 200: limit, 429: 4 * parallel - limit }))
}

const calm = { rounds: size(1, 20), parallel: 200 }
test.each(Object.entries(stores))(
  `on %s: 4 processes × ${calm.parallel} parallel requests, limit ${limit}: exactly ${limit} in each of ${calm.rounds} rounds`,
  async (_store, env) => {
    expect(await raceWhileRedisAnswers(env)).toEqual(exactly(calm))
  },
)

/**
 * If a busy machine lets Redis answer one process after more than 100 ms, PostgreSQL counts for this process beside Redis. Such a race
 * is repeated.
 */
async function raceWhileRedisAnswers(env: Record<string, string>): Promise<Record<number, number>[]> {
  for (;;) {
    const { urls, stop } = await startFour(env)
    const statuses = await race(urls, calm)
    if (!(await stop()).includes('Redis does not answer')) return statuses
  }
}

const busy = { rounds: 20, parallel: 800 }
test.runIf(isLong)(
  `on PostgreSQL, 4 × ${busy.parallel} requests beside two processes that never pause: exactly ${limit} in every round`,
  async () => {
    const { urls } = await startFour(stores.PostgreSQL)
    const stop = keepProcessorsBusy(2)
    const begin = performance.now()
    const statuses = await race(urls, busy)
    report(
      `4 × ${busy.parallel} requests of one key on busy processors, ms a round`,
      (performance.now() - begin) / busy.rounds,
    )
    stop()

    expect(statuses).toEqual(exactly(busy))
  },
)
