import { Agent } from 'node:http'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { call } from '#test/http-client.ts'
import { startRedis } from '#test/private-redis.ts'
import { seedKey } from '#test/seed.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const redis = await startRedis()
const [limit, rounds, parallel] = [60, 20, 200]
const startFour = async (env: Record<string, string>) =>
  (await Promise.all([1, 2, 3, 4].map(() => startService(db.url, env)))).map((service) => service.url)
const stores = {
  Redis: await startFour({ REDIS_URL: redis.url }),
  PostgreSQL: await startFour({}),
}

test.each(Object.entries(stores))(
  `on %s: 4 processes × ${parallel} parallel requests, limit ${limit}: exactly ${limit} in each of ${rounds} rounds`,
  async (_store, urls) => {
    const agent = new Agent({ keepAlive: true, maxSockets: parallel })
    const accepted: number[] = []
    for (let round = 0; round < rounds; round++) {
      const { key } = await seedKey(db, { rateLimit: limit })
      const answers = await Promise.all(
        urls.flatMap((url) =>
          Array.from({ length: parallel }, () =>
            call(`${url}/api/sites.php`, { headers: { 'x-api-key': key }, agent }),
          ),
        ),
      )
      expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
      accepted.push(answers.filter(({ status }) => status === 200).length)
    }
    agent.destroy()

    expect(accepted).toEqual(Array.from({ length: rounds }, () => limit))
  },
)
