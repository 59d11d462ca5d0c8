import { createClient } from '@redis/client'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import type { NamedStatement, Queryable } from '#db/database.ts'
import { listNewestVouchers } from '#domain/vouchers/vouchers.queries.ts'
import { startApp } from '#test/app.ts'
import { watchStatements } from '#test/data/database.ts'
import { explainGeneric, nodesOf } from '#test/data/plans.ts'
import { startRedis } from '#test/data/private-stores.ts'
import { seedKey, seedManyVouchers, seedSite, seedVoucher } from '#test/data/seed.ts'
import { size } from '#test/measuring.ts'

const redis = await startRedis()
const app = await startApp({ REDIS_URL: redis.url })
const withoutRedis = await startApp()

const count = size(100_000, 1_000_000)

describe(`a site with ${count} vouchers`, async () => {
  const site = await seedSite(app.db)
  await seedVouchers(site)

  test('the list is an index scan of one partition without a sort', async () => {
    const plans: any[] = []
    const explained: Queryable = {
      query: async (statement, values) => {
        plans.push((await explainGeneric(app.db, statement as NamedStatement, values as unknown[])).Plan)
        return { rows: [] } as any
      },
    }

    await listNewestVouchers(explained, site, 200)

    expect(plans).toHaveLength(1)
    const executed = nodesOf(plans[0]).filter((node) => node['Actual Loops'] > 0)
    expect(executed.map((node) => node['Node Type'])).toEqual(['Aggregate', 'Limit', 'Merge Append', 'Index Scan'])
    expect(executed[2]).toMatchObject({ 'Subplans Removed': 31 })
    expect(executed[3]).toMatchObject({
      'Index Name': expect.stringMatching(/^vouchers_\d\d_site_id_created_at_id_idx$/),
      'Relation Name': expect.stringMatching(/^vouchers_\d\d$/),
      'Actual Rows': 200,
    })
  })

  test('the list holds the newest 200', async () => {
    const answer = await app.call(`/api/vouchers.php?site_id=${site}`, { key: (await seedKey(app.db)).key })

    expect(answer.json().vouchers).toHaveLength(200)
    expect(answer.json().vouchers[0].voucher_name).toBe('2026-11-14_Gast 1')
  })
})

describe('the cost of one GET', () => {
  const statements = watchStatements()
  beforeEach(() => {
    statements.length = 0
  })

  async function cost(on: typeof app, path: string, key: string): Promise<string[]> {
    statements.length = 0
    expect((await on.call(path, { key })).status).toBe(200)
    return statements.map(
      (text) => /(?:from|join|into) (api_key_secrets|rate_limits|vouchers)\b/.exec(text)?.[1] ?? text,
    )
  }

  test('with Redis: one statement and one Redis command when the list is unchanged, one statement more when it changed', async () => {
    async function measure() {
      const site = await seedSite(app.db)
      await seedVoucher(app.db, site)
      const { key } = await seedKey(app.db, { rateLimit: 1000 })
      const path = `/api/vouchers.php?site_id=${site}`
      await app.call('/api/sites.php', { key }) // Redis loads the script
      const commands = await countRedisCommands()
      const first = [await cost(app, path, key), await cost(app, path, key)]
      await seedVoucher(app.db, site)
      const changed = [await cost(app, path, key), await cost(app, path, key)]
      return { first, changed, commands: (await countRedisCommands()) - commands }
    }

    // If a busy machine lets Redis answer after more than 100 ms, PostgreSQL counts. Such a measurement is repeated.
    const expected = [['api_key_secrets', 'vouchers'], ['api_key_secrets']]
    await expect.poll(measure).toEqual({ first: expected, changed: expected, commands: 4 })
  })

  test('on PostgreSQL alone: the same, and one upsert that counts', async () => {
    const site = await seedSite(withoutRedis.db)
    await seedVoucher(withoutRedis.db, site)
    const { key } = await seedKey(withoutRedis.db, { rateLimit: 1000 })
    const path = `/api/vouchers.php?site_id=${site}`

    expect(await cost(withoutRedis, path, key)).toEqual(['api_key_secrets', 'rate_limits', 'vouchers'])
    expect(await cost(withoutRedis, path, key)).toEqual(['api_key_secrets', 'rate_limits'])
  })

  test('a site without vouchers costs one statement, also the first time', async () => {
    const { key } = await seedKey(app.db, { rateLimit: 1000 })

    expect(await cost(app, '/api/vouchers.php?site_id=999999', key)).toEqual(['api_key_secrets'])
  })

  test('a key without a limit costs no limiter operation', async () => {
    const { key } = await seedKey(withoutRedis.db)

    expect(await cost(withoutRedis, '/api/vouchers.php?site_id=999999', key)).toEqual(['api_key_secrets'])
  })
})

/** Uses its own connection, because the pool's timeout would end both statements on a busy machine. */
async function seedVouchers(site: number): Promise<void> {
  const client = new pg.Client({ connectionString: app.db.url })
  await client.connect()
  await seedManyVouchers(client, site, count)
  await client.query('analyze vouchers')
  await client.end()
}

/** The number of commands that clients sent. Redis also counts the commands inside scripts, which are left out here. */
async function countRedisCommands(): Promise<number> {
  const client = await createClient({ url: redis.url }).connect()
  const stats = await client.info('commandstats')
  client.destroy()
  const calls = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)
  return calls('evalsha') + calls('eval') + calls('get') + calls('set')
}
