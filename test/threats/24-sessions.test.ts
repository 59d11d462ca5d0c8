import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import type { Answer } from '#test/network/http-client.ts'

// Attackers who try to act as a person: a page of another website, a thief of a cookie, somebody who guesses passwords.

const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' })
const password = 'four random words'
const site = await seedSite(app.db)
const admin = await seedPerson(app.db, { role: 'admin', password })
const json = { 'content-type': 'application/json' }
const body = JSON.stringify({ name: 'Planted', expire_minutes: 60 })
const cookie = `voucher-session=${admin.session}`

const templates = async () => (await app.db.query('select count(*)::integer as count from templates')).rows[0]?.count
const errorOf = (answer: Answer) => [answer.status, answer.json().error]

describe('a page of another website cannot use the cookie', () => {
  test.each([
    ['a form', { ...json, 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' }],
    ['JSON as text/plain', { 'content-type': 'text/plain', origin: 'https://evil.example' }],
    ['a foreign origin', { ...json, origin: 'https://evil.example' }],
    ['an origin that only begins like ours', { ...json, origin: `${app.url}.evil.example` }],
    ['our origin with another scheme', { ...json, origin: app.url.replace('http:', 'https:') }],
    ['the origin null', { ...json, origin: 'null' }],
    ['no origin', json],
  ])('%s: 403', async (_, headers) => {
    const before = await templates()

    const answer = await app.call('/api/v2/templates', { method: 'POST', headers: { ...headers, cookie }, body })

    expect(errorOf(answer)).toEqual([403, 'origin_mismatch'])
    expect(await templates()).toBe(before)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'our origin with the type %j: 415',
    async (type) => {
      const headers = { cookie, origin: app.url, ...(type && { 'content-type': type }) }

      const answer = await app.call('/api/v2/templates', { method: 'POST', headers, body })

      expect(errorOf(answer)).toEqual([415, 'content_type_required'])
    },
  )

  test('our own page: 201', async () => {
    const headers = { cookie, origin: app.url, 'content-type': 'application/json; charset=utf-8' }

    expect((await app.call('/api/v2/templates', { method: 'POST', headers, body })).status).toBe(201)
  })

  test('sign-in and setup need our own page too', async () => {
    const typed = JSON.stringify({ email: admin.email, password })
    for (const path of ['/session', '/setup', '/setup/check', '/password-links']) {
      const headers = { ...json, origin: 'https://evil.example' }
      expect(errorOf(await app.call(`/api/v2${path}`, { method: 'POST', headers, body: typed }))).toEqual([
        403,
        'origin_mismatch',
      ])
    }
  })

  test('PUBLIC_URL decides which origin is ours', async () => {
    const fixed = await startApp({ PUBLIC_URL: 'https://desk.example.com', TRUSTED_PROXIES: '127.0.0.1' })
    const person = await seedPerson(fixed.db, { role: 'admin' })
    const change = (origin: string) =>
      fixed.call('/api/v2/me', {
        method: 'PATCH',
        headers: {
          ...json,
          origin,
          cookie: `__Host-voucher-session=${person.session}`,
          'x-forwarded-proto': 'https',
        },
        body: JSON.stringify({ theme: 'dark' }),
      })

    expect((await change('https://desk.example.com')).status).toBe(200)
    expect((await change(fixed.url)).status).toBe(403)
  })
})

test('API v1 ignores sessions', async () => {
  const headers = { cookie, origin: app.url, ...json }
  const post = { method: 'POST', headers, body: JSON.stringify({ site_id: site, name: 'Gast' }) }

  expect((await app.call('/api/sites.php', { headers })).status).toBe(401)
  expect((await app.call('/api/vouchers.php', post)).status).toBe(401)
})

test('a token that was planted before sign-in gets no session, and an old one ends with the new', async () => {
  const planted = 'A'.repeat(43)
  const signIn = (token: string) =>
    app.call('/api/v2/session', {
      method: 'POST',
      session: token,
      body: JSON.stringify({ email: admin.email, password }),
    })
  const { email, session: old } = await seedPerson(app.db, { password })

  const answer = await signIn(planted)
  const mine = await app.call('/api/v2/session', {
    method: 'POST',
    session: old,
    body: JSON.stringify({ email, password }),
  })

  expect(answer.status).toBe(200)
  expect(answer.headers['set-cookie']?.[0]).not.toContain(planted)
  expect((await app.call('/api/v2/me', { session: planted })).status).toBe(401)
  expect([mine.status, (await app.call('/api/v2/me', { session: old })).status]).toEqual([200, 401])
})

test('a stolen cookie is rejected after sign-out, in every process', async () => {
  const { session } = await seedPerson(app.db)
  const elsewhere = app.context.findLiveSession
  await app.call('/api/v2/session', { method: 'DELETE', session })

  expect((await app.call('/api/v2/me', { session })).status).toBe(401)
  expect(await elsewhere(session)).toBeUndefined()
})

test('the database holds no token and no password', async () => {
  const { session } = await seedPerson(app.db, { password })
  const tables = ['staff', 'staff_sessions', 'staff_addresses', 'password_links', 'audit', 'rate_limits']

  for (const table of tables) {
    const { rows } = await app.db.query<{ row: string }>(`select t::text as row from ${table} t`)
    const text = rows.map(({ row }) => row).join('\n')
    expect(text).not.toContain(session)
    expect(text).not.toContain(password)
    expect(text).not.toContain(Buffer.from(session).toString('hex'))
  }
})

test('1,000 guesses from 50 addresses are rejected; the person signs in meanwhile from the usual address', async () => {
  const { id, email } = await seedPerson(app.db, { password })
  const signIn = (typed: string, from: string) =>
    app.call('/api/v2/session', {
      method: 'POST',
      headers: { ...json, origin: app.url, 'x-forwarded-for': from },
      body: JSON.stringify({ email, password: typed }),
    })
  expect((await signIn(password, '192.0.2.1')).status).toBe(200)
  const guess = async (n: number) => (await signIn(`guess number ${n}`, `198.51.100.${n % 50}`)).status

  const statuses: number[] = []
  for (let n = 0; n < 1_000; n += 20)
    statuses.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => guess(n + i)))))
  const usual = await signIn(password, '192.0.2.1')
  const unusual = await signIn(password, '203.0.113.9')

  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(60)
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  expect(usual.status).toBe(200)
  expect([unusual.status, Number(unusual.headers['retry-after'])]).toEqual([429, expect.closeTo(900, -3)])
  const rejected = 'select details from audit where action = $1 and target_id = $2'
  const { rows } = await app.db.query(rejected, ['staff.sign_in_rejected', id])
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.length).toBeLessThanOrEqual(6)
})

test('guesses from one address stop after 20 for a person, while others there still sign in', async () => {
  const [victim, colleague] = [await seedPerson(app.db, { password }), await seedPerson(app.db, { password })]
  const signIn = (email: string, typed: string) =>
    app.call('/api/v2/session', {
      method: 'POST',
      headers: { ...json, origin: app.url, 'x-forwarded-for': '2001:db8::1' },
      body: JSON.stringify({ email, password: typed }),
    })

  const statuses: number[] = []
  // Two at a time: on a busy machine, a third one may wait too long for its hash, which is a 429 of its own.
  for (let n = 0; n < 30; n += 2) {
    const guesses = [signIn(victim.email, `guess number ${n}`), signIn(victim.email, `guess number ${n + 1}`)]
    for (const { status } of await Promise.all(guesses)) statuses.push(status)
  }

  expect(statuses.filter((status) => status === 401)).toHaveLength(20)
  expect((await signIn(colleague.email, password)).status).toBe(200)
})

test('an address sends at most 300 attempts in 15 minutes, for whatever accounts', async () => {
  await app.db.query(
    `insert into rate_limits (key, count, ends_at) values ('sign-in:203.0.113.77', 299, now() + interval '15 minutes')`,
  )
  const guess = async (email: string) => {
    const headers = { ...json, origin: app.url, 'x-forwarded-for': '203.0.113.77' }
    const typed = JSON.stringify({ email, password: 'a guess of a guesser' })
    return (await app.call('/api/v2/session', { method: 'POST', headers, body: typed })).status
  }

  expect([await guess('one@example.com'), await guess('two@example.com')]).toEqual([401, 429])
})

test('a person sends at most 600 requests in a minute', async () => {
  const { id, session } = await seedPerson(app.db)
  await app.db.query(`insert into rate_limits (key, count, ends_at) values ($1, 599, now() + interval '1 minute')`, [
    id,
  ])

  const [last, first] = [await app.call('/api/v2/me', { session }), await app.call('/api/v2/me', { session })]

  expect([last.status, last.headers['ratelimit-policy']]).toEqual([200, '"per-person";q=600;w=60'])
  expect([first.status, first.json().error]).toEqual([429, 'rate_limited'])
})
