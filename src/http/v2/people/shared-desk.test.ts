import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedPerson } from '#test/data/seed.ts'

const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' })
const password = 'four random words'

/** What an open page asks by itself, this long after the last key, click or touch. */
const poll = (session: string, idleSeconds: number | string) =>
  app.call('/api/v2/me', { session, headers: { 'voucher-idle-seconds': String(idleSeconds) } })

async function secondsSinceUse(staffId: string): Promise<number> {
  const { rows } = await app.db.query<{ seconds: number }>(
    'select extract(epoch from now() - last_seen_at)::integer as seconds from staff_sessions where staff_id = $1',
    [staffId],
  )
  return rows[0]?.seconds as number
}

const setLastUse = (staffId: string, age: string) =>
  app.db.query(`update staff_sessions set last_seen_at = now() - $2::interval where staff_id = $1`, [staffId, age])

const share = (session: string, sign_out_after_minutes: number | null) =>
  app.call('/api/v2/session', { method: 'PATCH', session, body: JSON.stringify({ sign_out_after_minutes }) })

describe('use of an open page', () => {
  test('requests that nobody caused do not count', async () => {
    const { id, session } = await seedPerson(app.db)
    await setLastUse(id, '11 hours')

    expect((await poll(session, 11 * 3600)).status).toBe(200)
    expect(await secondsSinceUse(id)).toBeGreaterThanOrEqual(11 * 3600)
    await setLastUse(id, '12 hours 1 second')
    expect((await poll(session, 12 * 3600)).status).toBe(401)
  })

  test('a key a minute ago counts as a use a minute ago, and never moves the last use back', async () => {
    const { id, session } = await seedPerson(app.db)
    await setLastUse(id, '5 hours')
    await poll(session, 60)
    const after = await secondsSinceUse(id)
    await poll(session, 4_000)

    expect(after).toBeGreaterThanOrEqual(60)
    expect(after).toBeLessThan(1_000)
    expect(await secondsSinceUse(id)).toBeLessThan(1_000)
  })

  test.each(['-1', '1e3', 'x', '99999999', ''])(
    'the header %j is ignored: the request counts as a use',
    async (sent) => {
      const { id, session } = await seedPerson(app.db)
      await setLastUse(id, '5 hours')

      expect((await poll(session, sent)).status).toBe(200)
      expect(await secondsSinceUse(id)).toBeLessThan(3_600)
    },
  )
})

describe('a shared desk', () => {
  test('signs out after its minutes without use; also people who sign in later in the same browser', async () => {
    const manager = await seedPerson(app.db, { role: 'manager' })
    const desk = await seedPerson(app.db, { password })
    const shared = await share(manager.session, 30)
    const cookie = shared.headers['set-cookie']?.[0]?.split(';', 1)[0] as string
    const signedIn = await app.call('/api/v2/session', {
      method: 'POST',
      headers: { cookie, origin: app.url, 'content-type': 'application/json' },
      body: JSON.stringify({ email: desk.email, password }),
    })
    const token = /voucher-session=(\w+)/.exec(String(signedIn.headers['set-cookie']))?.[1] as string
    const session = async (of: string) => (await app.call('/api/v2/session', { session: of })).json()

    expect([shared.status, cookie]).toEqual([204, 'voucher-shared-desk=30'])
    expect((await session(manager.session)).sign_out_after_minutes).toBe(30)
    expect((await session(token)).sign_out_after_minutes).toBe(30)
    expect((await session(desk.session)).sign_out_after_minutes).toBeNull() // the browser at home
    await setLastUse(desk.id, '29 minutes 50 seconds')
    expect((await poll(token, 1790)).status).toBe(200)
    await setLastUse(desk.id, '30 minutes 1 second')
    expect((await poll(token, 1801)).status).toBe(401)
    expect((await poll(desk.session, 1801)).status).toBe(200)
  })

  test('a use is noted within seconds, so nobody is signed out early', async () => {
    const manager = await seedPerson(app.db, { role: 'manager' })
    await share(manager.session, 1)
    await setLastUse(manager.id, '40 seconds')
    await poll(manager.session, 2)

    expect(await secondsSinceUse(manager.id)).toBeLessThan(35)
  })

  test('null ends the sharing', async () => {
    const manager = await seedPerson(app.db, { role: 'manager' })
    await share(manager.session, 30)
    const answer = await share(manager.session, null)
    await setLastUse(manager.id, '2 hours')

    expect(answer.headers['set-cookie']?.[0]).toContain('voucher-shared-desk=; Path=/; Max-Age=0')
    expect((await poll(manager.session, 7200)).status).toBe(200)
  })

  test('over TLS, its cookie has the prefix __Host-, and only that one counts', async () => {
    const manager = await seedPerson(app.db, { role: 'manager' })
    const tls = { 'x-forwarded-proto': 'https', host: 'desk.example.com', origin: 'https://desk.example.com' }
    const shared = await app.call('/api/v2/session', {
      method: 'PATCH',
      headers: { ...tls, 'content-type': 'application/json', cookie: `__Host-voucher-session=${manager.session}` },
      body: JSON.stringify({ sign_out_after_minutes: 30 }),
    })
    const minutes = async (cookie: string) =>
      (await app.call('/api/v2/session', { headers: { ...tls, cookie } })).json().sign_out_after_minutes

    expect(shared.headers['set-cookie']?.[0]).toMatch(/^__Host-voucher-shared-desk=30; Path=\/; .*; Secure$/)
    expect(await minutes('__Host-voucher-shared-desk=30')).toBe(30)
    expect(await minutes('voucher-shared-desk=30')).toBeNull()
  })

  test.each([0, 721, 1.5, '30'])('400: %j minutes', async (minutes) => {
    const manager = await seedPerson(app.db, { role: 'manager' })

    expect((await share(manager.session, minutes as number)).status).toBe(400)
  })

  test.each(['0', '721', 'x', '-30', '3e1'])('a cookie with %j minutes is ignored', async (value) => {
    const { email } = await seedPerson(app.db, { password })
    const answer = await app.call('/api/v2/session', {
      method: 'POST',
      headers: { cookie: `voucher-shared-desk=${value}`, origin: app.url, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })

    expect(answer.status).toBe(200)
    expect(String(answer.headers['set-cookie'])).not.toContain('shared-desk')
  })
})
