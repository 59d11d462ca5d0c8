import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedSite } from '#test/data/seed.ts'

const stores = { PostgreSQL: {}, Redis: { REDIS_URL: 'redis://127.0.0.1:6379', REDIS_PREFIX: `test-${process.pid}:` } }

for (const [store, env] of Object.entries(stores)) {
  const app = await startApp(env)
  const limitedKey = async (rateLimit: number) => (await seedKey(app.db, { rateLimit, scope: 'write' })).key

  test(`${store}: every answer to a limited key says what is left`, async () => {
    const key = await limitedKey(5)

    const begin = performance.now()
    const first = await app.call('/api/sites.php', { key })
    const second = await app.call('/api/sites.php', { key })

    expect(first.headers['ratelimit-policy']).toBe('"per-key";q=5;w=60')
    const elapsedSeconds = Math.ceil((performance.now() - begin) / 1_000)

    const left = [first, second].map(({ headers }) => /^"per-key";r=(\d);t=(\d+)$/.exec(String(headers.ratelimit)))
    expect(left.map((match) => match?.[1])).toEqual(['4', '3'])
    for (const match of left) {
      expect(Number(match?.[2])).toBeGreaterThanOrEqual(60 - elapsedSeconds)
      expect(Number(match?.[2])).toBeLessThanOrEqual(60)
    }
  })

  test(`${store}: 429 beyond the limit, with Retry-After`, async () => {
    const key = await limitedKey(2)
    const begin = performance.now()
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await app.call('/api/sites.php', { key })).status)

    const answer = await app.call('/api/sites.php', { key })

    expect(statuses).toEqual([200, 200, 429, 429])
    expect(answer.json()).toEqual({
      error: 'rate_limited',
      message: 'Anfragelimit überschritten, bitte später erneut versuchen',
    })
    const elapsedSeconds = Math.ceil((performance.now() - begin) / 1_000)
    const seconds = Number(answer.headers['retry-after'])
    expect(answer.headers.ratelimit).toBe(`"per-key";r=0;t=${seconds}`)
    expect(seconds).toBeGreaterThanOrEqual(60 - elapsedSeconds)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  test(`${store}: 400, 403 and 405 count; 401 and 404 of a path do not`, async () => {
    const read = (await seedKey(app.db, { rateLimit: 10 })).key
    const remaining = async (path: string, options = {}) =>
      /r=(\d+)/.exec((await app.call(path, { key: read, ...options })).headers.ratelimit as string)?.[1]

    expect(await remaining('/api/vouchers.php')).toBe('9')
    expect(await remaining('/api/vouchers.php', { method: 'POST' })).toBe('8')
    expect(await remaining('/api/vouchers.php', { method: 'PUT' })).toBe('7')
    await app.call('/api/sites.php', { key: `${read.slice(0, -1)}_` })
    await app.call('/api/nope', { key: read })
    await app.call('/api/openapi.php', { key: read })
    expect(await remaining('/api/sites.php')).toBe('6')
  })

  test(`${store}: a 429 comes before 405, 403, 413 and 400`, async () => {
    const key = (await seedKey(app.db, { rateLimit: 1 })).key
    await app.call('/api/sites.php', { key })

    expect((await app.call('/api/vouchers.php', { key, method: 'DELETE' })).status).toBe(429)
    expect((await app.call('/api/vouchers.php', { key, method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(429)
    expect((await app.call('/api/vouchers.php', { key })).status).toBe(429)
  })

  test(`${store}: a rejected request leaves the window as it is`, async () => {
    const key = await limitedKey(1)
    await app.call('/api/sites.php', { key })
    const refused = await Promise.all(Array.from({ length: 50 }, () => app.call('/api/sites.php', { key })))

    expect(refused.every((answer) => answer.status === 429)).toBe(true)
    expect(Number(refused.at(-1)?.headers['retry-after'])).toBeLessThanOrEqual(60)
  })

  test(`${store}: each key has its own window`, async () => {
    const [one, two] = [await limitedKey(1), await limitedKey(1)]

    expect((await app.call('/api/sites.php', { key: one })).status).toBe(200)
    expect((await app.call('/api/sites.php', { key: two })).status).toBe(200)
    expect((await app.call('/api/sites.php', { key: one })).status).toBe(429)
  })

  test(`${store}: 0 means unlimited, and nothing is said about limits`, async () => {
    const site = await seedSite(app.db)
    const key = await limitedKey(0)

    const answers = await Promise.all(
      Array.from({ length: 100 }, () => app.call(`/api/vouchers.php?site_id=${site}`, { key })),
    )

    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    expect(answers[0]?.headers).not.toHaveProperty('ratelimit')
    expect(answers[0]?.headers).not.toHaveProperty('ratelimit-policy')
  })
}
