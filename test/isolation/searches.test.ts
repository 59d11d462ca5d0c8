import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import type { Database } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedManyVouchers } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { isLong, median, report, size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const app = await startApp()
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })
const create = (name: string) => JSON.stringify({ site_id: site, name })

// Each attempt that ends in time proves that nobody waits for the hanging searches. A busy machine may need several.
test('while the searches of one key hang, other keys create, list and search, and more searches of that key get 429', {
  retry: 5,
}, async () => {
  const hog = await seedKey(app.db)
  const name = `Gast ${hog.id}`
  const { searches } = app.context
  const startedAt = performance.now()
  const hanging = range(11).map(() =>
    searches.run({ kind: 'key', id: hog.id }, (db) => db.query('select pg_sleep(20)')),
  )
  const refused = Promise.allSettled(hanging)
  await sleep(100)

  const tooMany = await app.call('/api/v2/vouchers?text=x', { key: hog.key, headers: { 'accept-language': 'en' } })
  expect([tooMany.status, tooMany.json().message, tooMany.headers['retry-after']]).toEqual([
    429,
    'Too many searches are running at once. Please try again in a moment.',
    '2',
  ])
  expect((await app.call('/api/v2/vouchers', { method: 'POST', key, body: create(name) })).status).toBe(201)
  expect((await app.call('/api/v2/vouchers?limit=5', { key: hog.key })).status).toBe(200)
  expect((await app.call(`/api/v2/vouchers?text=${encodeURIComponent(name)}`, { key })).json().vouchers).toHaveLength(1)
  expect(performance.now() - startedAt).toBeLessThan(2_000) // before any of the hanging searches was given up

  const reasons = (await refused).map((one) => (one as PromiseRejectedResult).reason.code)
  expect(reasons.toSorted()).toEqual(['search_too_slow', ...range(10).map(() => 'searches_too_many')])
})

test('ten expensive searches a second slow down neither creations nor /readyz', {
  timeout: 600_000,
}, async () => {
  const client = new pg.Client(app.db.url) // without the time limits of the service
  await client.connect()
  await seedManyVouchers(client, site, size(20_000, 300_000))
  await client.query('analyze vouchers')
  await client.end()
  const service = await startService(app.db.url)
  const reader = await seedKey(app.db, { rateLimit: 100_000 })
  const statuses: Record<string, number> = {}
  const note = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1
  }
  const get = (path: string, withKey: string) =>
    call(service.url + path, { headers: { authorization: `Bearer ${withKey}` } })
  let isSearching = false
  const searching = new Set<Promise<void>>()
  const clock = setInterval(() => {
    if (!isSearching) return
    const one = get(`/api/v2/vouchers?site_id=${site}&text=zx`, reader.key).then(({ status }) =>
      note(`search ${status}`),
    )
    searching.add(one)
    void one.finally(() => searching.delete(one))
  }, 100)
  const watch = setInterval(() => {
    void call(`${service.url}/readyz`).then(({ status }) => note(`ready ${status}`))
  }, 200)

  async function creationsIn(ms: number): Promise<number> {
    const end = performance.now() + ms
    let made = 0
    await Promise.all(
      range(4).map(async () => {
        while (performance.now() < end) {
          const answer = await call(`${service.url}/api/v2/vouchers`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}` },
            body: create('Gast'),
          })
          expect(answer.status).toBe(201)
          made += 1
        }
      }),
    )
    return made
  }

  await creationsIn(size(300, 1_000)) // warm-up
  const [alone, beside]: [number[], number[]] = [[], []]
  for (const _ of range(size(1, 5))) {
    isSearching = false
    await Promise.all(searching)
    alone.push(await creationsIn(size(1_000, 6_000)))
    isSearching = true
    await sleep(500)
    beside.push(await creationsIn(size(1_000, 6_000)))
  }
  clearInterval(clock)
  clearInterval(watch)
  await Promise.all(searching)
  report('creations alone and beside ten searches a second', [median(alone), median(beside)])
  for (const [what, count] of Object.entries(statuses)) report(`answers: ${what}`, [count])

  expect(Object.keys(statuses).filter((what) => what.startsWith('ready'))).toEqual(['ready 200'])
  if (isLong) expect(median(beside)).toBeGreaterThanOrEqual(0.8 * median(alone))
})

test('while other keys use all connections for searches, a search is rejected with 429', async () => {
  const { searches } = app.context
  const { promise: answered, resolve: release } = Promise.withResolvers<void>()
  let heldCount = 0
  const hold = (db: Database) =>
    db.transaction(async () => {
      heldCount += 1
      await answered
    })
  const holding = ['a', 'b'].map((hog) => searches.run({ kind: 'key', id: hog }, hold))
  await vi.waitFor(() => expect(heldCount).toBe(2), 20_000)
  const answer = await app.call('/api/v2/vouchers?text=x', { key })
  release()
  await Promise.all(holding)

  expect([answer.status, answer.json().error]).toEqual([429, 'searches_too_many'])
})
