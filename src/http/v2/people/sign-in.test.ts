import { describe, expect, test } from 'vitest'
import { createPasswordLink } from '#domain/people/administer-staff.ts'
import { startApp } from '#test/app.ts'
import { seedAuthenticatorApp } from '#test/data/second-factors.ts'
import { seedPerson, testActor } from '#test/data/seed.ts'
import type { Answer } from '#test/network/http-client.ts'

const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' })
const password = 'four random words'
await seedPerson(app.db, { role: 'admin' }) // so that the setup is done
const fromPage = { origin: app.url, 'content-type': 'application/json' }

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  app.call(`/api/v2${path}`, { method: 'POST', headers: { ...fromPage, ...headers }, body: JSON.stringify(body) })
const signIn = (email: string, typed = password, headers: Record<string, string> = {}) =>
  post('/session', { email, password: typed }, headers)
const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']?.[0])
const tokenOf = (answer: Answer) => /^[^=]+=([^;]*)/.exec(cookieOf(answer))?.[1] as string
const personOf = async (session: string) => (await app.call('/api/v2/session', { session })).json().person

test('sign in, see who is signed in, sign out: the token works only in between', async () => {
  const { email, id } = await seedPerson(app.db, { password })

  const answer = await signIn(email.toUpperCase())
  const session = tokenOf(answer)
  const during = await personOf(session)
  const out = await app.call('/api/v2/session', { method: 'DELETE', session })

  expect([answer.status, answer.json()]).toEqual([200, during])
  expect(during).toMatchObject({ kind: 'staff', id, email, role: 'desk', all_sites: true, has_password: true })
  expect([out.status, cookieOf(out)]).toEqual([204, expect.stringContaining('Max-Age=0')])
  expect(await personOf(session)).toBeNull()
  expect((await app.call('/api/v2/me', { session })).json().error).toBe('session_ended')
})

test('the cookie has the prefix __Host- over TLS, and only that one counts there', async () => {
  const { email } = await seedPerson(app.db, { password })
  const tls = { 'x-forwarded-proto': 'https', host: 'desk.example.com', origin: 'https://desk.example.com' }

  const plain = await signIn(email)
  const secure = await signIn(email, password, tls)
  const me = (cookie: string, headers = {}) => app.call('/api/v2/me', { headers: { cookie, ...headers } })

  expect(cookieOf(plain)).toMatch(/^voucher-session=\w{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/)
  expect(cookieOf(secure)).toMatch(/^__Host-voucher-session=\w{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/)
  expect((await me(`__Host-voucher-session=${tokenOf(secure)}`, tls)).status).toBe(200)
  expect((await me(`voucher-session=${tokenOf(secure)}`, tls)).status).toBe(401)
  expect((await me(`__Host-voucher-session=${tokenOf(secure)}`)).status).toBe(401)
})

test('the cookie of the second step has the prefix over TLS too', async () => {
  const person = await seedPerson(app.db, { password })
  await seedAuthenticatorApp(app.db, person.id)
  const tls = { 'x-forwarded-proto': 'https', host: 'desk.example.com', origin: 'https://desk.example.com' }

  const first = await signIn(person.email, password, tls)
  const step = async (cookie: string) =>
    (await app.call('/api/v2/session', { headers: { ...tls, cookie } })).json().step

  expect(cookieOf(first)).toMatch(/^__Host-voucher-second-step=\w{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/)
  expect(await step(`__Host-voucher-second-step=${tokenOf(first)}`)).toBe('second_factor')
  expect(await step(`voucher-second-step=${tokenOf(first)}`)).toBeNull()
})

test('without encryption, sign-in is rejected on hosts other than localhost, unless it was allowed', async () => {
  const other = { host: 'desk.example.com', origin: 'http://desk.example.com' }
  const lenient = await startApp({ ALLOW_HTTP_SIGN_IN: 'true' })
  const { email } = await seedPerson(app.db, { password })
  const guest = await seedPerson(lenient.db, { password })
  const headers = { ...fromPage, ...other }
  const body = JSON.stringify({ email: guest.email, password })

  const refused = await signIn(email, password, other)
  const allowed = await lenient.call('/api/v2/session', { method: 'POST', headers, body })

  expect([refused.status, refused.json().error]).toEqual([403, 'sign_in_unencrypted'])
  expect(refused.json().message).toMatch(/TRUSTED_PROXIES.*X-Forwarded-Proto/)
  expect(refused.json().message).not.toContain('ALLOW_HTTP_SIGN_IN') // people would switch off the protection
  expect([allowed.status, cookieOf(allowed)]).toEqual([200, expect.not.stringContaining('__Host-')])
  const transport = async (to: typeof app, sent: object) =>
    (await to.call('/api/v2/session', { headers: { ...sent } })).json().transport
  expect(await transport(app, other)).toBe('unencrypted_refused')
  expect(await transport(lenient, other)).toBe('unencrypted_allowed')
  expect(await transport(app, {})).toBe('local')
  expect(await transport(app, { 'x-forwarded-proto': 'https' })).toBe('encrypted')
})

test('PUBLIC_URL decides whether a browser is local, because a proxy may send Host: localhost', async () => {
  const behindProxy = await startApp({ PUBLIC_URL: 'http://desk.example.com' })
  const { email, session } = await seedPerson(behindProxy.db, { password })
  const headers = { ...fromPage, origin: 'http://desk.example.com' }
  const body = JSON.stringify({ email, password })

  const refused = await behindProxy.call('/api/v2/session', { method: 'POST', headers, body })

  expect([refused.status, refused.json().error]).toEqual([403, 'sign_in_unencrypted'])
  expect((await behindProxy.call('/api/v2/me', { session })).status).toBe(401)
  expect((await behindProxy.call('/api/v2/session')).json()).toMatchObject({
    transport: 'unencrypted_refused',
    public_url: 'http://desk.example.com',
  })
  expect((await app.call('/api/v2/session')).json().public_url).toBeNull()
})

test('where sign-in is rejected without encryption, a session is not accepted either', async () => {
  const { session } = await seedPerson(app.db)

  expect((await app.call('/api/v2/me', { session, headers: { host: 'desk.example.com' } })).status).toBe(401)
})

test.each(['unknown', '192.0.2.7:5678', '[2001:db8::1]:443', 'fe80::1%eth0', ''])(
  'the address %j, as a proxy may send it, does not stop a sign-in',
  async (address) => {
    const { email } = await seedPerson(app.db, { password })

    expect((await signIn(email, password, { 'x-forwarded-for': address })).status).toBe(200)
  },
)

test('browsers must not store the answers to people, and must not guess another type', async () => {
  const { session } = await seedPerson(app.db)

  for (const path of ['/session', '/me', '/me/sessions', '/vouchers.csv', '/nothing']) {
    const { headers } = await app.call(`/api/v2${path}`, { session })
    expect([path, headers['cache-control'], headers['x-content-type-options']]).toEqual([path, 'no-store', 'nosniff'])
  }
})

test.each([
  ['a wrong password', async () => (await seedPerson(app.db, { password })).email, 'five random words!'],
  ['an unknown address', async () => 'nobody@example.com', password],
  ['a person without a password', async () => (await seedPerson(app.db)).email, password],
  ['a person who is not active', inactivePerson, password],
])('401: %s, and the answer does not say which', async (_, findEmail, typed) => {
  const answer = await signIn(await findEmail(), typed)

  expect([answer.status, answer.json().message]).toEqual([401, 'E-mail or password is wrong.'])
  expect(answer.headers['set-cookie']).toBeUndefined()
})

async function inactivePerson(): Promise<string> {
  const { id, email } = await seedPerson(app.db, { password })
  await app.db.query('update staff set active = false where id = $1', [id])
  return email
}

test('a deactivated person, an idle session and an old session end', async () => {
  const [away, idle, old] = [await seedPerson(app.db), await seedPerson(app.db), await seedPerson(app.db)]
  await app.db.query('update staff set active = false where id = $1', [away.id])
  const ages = [
    [idle.id, 'last_seen_at', '12 hours 1 second'],
    [old.id, 'created_at', '7 days 1 second'],
  ]
  for (const [id, column, age] of ages)
    await app.db.query(`update staff_sessions set ${column} = now() - interval '${age}' where staff_id = $1`, [id])

  for (const { session } of [away, idle, old]) expect(await personOf(session)).toBeNull()
})

test('a request keeps an idle session alive', async () => {
  const { id, session } = await seedPerson(app.db)
  await app.db.query(`update staff_sessions set last_seen_at = now() - interval '11 hours' where staff_id = $1`, [id])

  await personOf(session)

  const { rows } = await app.db.query(
    `select last_seen_at > now() - interval '1 minute' as seen from staff_sessions where staff_id = $1`,
    [id],
  )
  expect(rows).toEqual([{ seen: true }])
})

describe('own password', () => {
  const change = (session: string, current_password: string, new_password: string) =>
    app.call('/api/v2/me/password', {
      method: 'PUT',
      session,
      body: JSON.stringify({ current_password, new_password }),
    })

  test('a change ends all other sessions', async () => {
    const { email, session: other } = await seedPerson(app.db, { password })
    const session = tokenOf(await signIn(email))

    const wrong = await change(session, 'five random words!', 'a brand new phrase')
    const right = await change(session, password, 'a brand new phrase')

    expect([wrong.status, wrong.json().error, right.status]).toEqual([403, 'password_wrong', 204])
    expect([await personOf(other), await personOf(session)]).toEqual([null, expect.objectContaining({ email })])
    expect((await signIn(email)).status).toBe(401)
    expect((await signIn(email, 'a brand new phrase')).status).toBe(200)
  })

  test.each([
    ['elevenchars', 'too_short'],
    ['Password2026!', 'password_common'],
    ['aaaaaaaaaaaaaaaa', 'password_common'],
    ['x1'.repeat(200), 'too_long'],
  ])('400: %s is %s', async (text, code) => {
    const { session } = await seedPerson(app.db, { password })

    const answer = await change(session, password, text)

    expect([answer.status, answer.json().errors]).toMatchObject([400, [{ field: 'new_password', code }]])
  })
})

describe('a one-time link', () => {
  const use = (token: string, new_password = 'a brand new phrase') => post('/password-links', { token, new_password })

  test('sets a password once, signs in and ends other sessions', async () => {
    const { email, session } = await seedPerson(app.db)
    const { link } = await createPasswordLink(app.db, testActor, { email })

    const first = await use(link.token)
    const second = await use(link.token, 'another new phrase')

    expect([first.status, await personOf(tokenOf(first))]).toEqual([200, expect.objectContaining({ email })])
    expect([second.status, second.json().error]).toEqual([403, 'password_link_invalid'])
    expect(await personOf(session)).toBeNull()
    expect((await signIn(email, 'a brand new phrase')).status).toBe(200)
  })

  test('two uses at once: one succeeds', async () => {
    const { email } = await seedPerson(app.db)
    const { link } = await createPasswordLink(app.db, testActor, { email })

    const answers = await Promise.all([use(link.token), use(link.token)])

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
  })

  test('a rejected password does not use it up; a new link, its expiry and deactivation end it', async () => {
    const { id, email } = await seedPerson(app.db)
    const { link: replaced } = await createPasswordLink(app.db, testActor, { email })
    const { link } = await createPasswordLink(app.db, testActor, { email })

    expect((await use(replaced.token)).status).toBe(403)
    expect((await use(link.token, 'short')).status).toBe(400)
    await app.db.query(`update password_links set expires_at = now() - interval '1 second' where staff_id = $1`, [id])
    expect((await use(link.token)).status).toBe(403)
    const { link: third } = await createPasswordLink(app.db, testActor, { email })
    await app.db.query('update staff set active = false where id = $1', [id])
    expect((await use(third.token)).status).toBe(403)
  })
})

test('the list of sessions, and ending one or all of them', async () => {
  const { email, session: first } = await seedPerson(app.db, { password })
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const second = tokenOf(await signIn(email, password, { 'user-agent': firefox, 'x-forwarded-for': '192.0.2.7' }))
  const list = async () => (await app.call('/api/v2/me/sessions', { session: second })).json().sessions

  const [mine, other] = await list()
  const ended = await app.call(`/api/v2/me/sessions/${other.id}`, { method: 'DELETE', session: second })

  expect(mine).toMatchObject({ current: true, address: '192.0.2.7', browser: 'Firefox, Windows' })
  expect([other.current, ended.status, await personOf(first)]).toEqual([false, 204, null])
  expect(await list()).toHaveLength(1)
  expect((await app.call('/api/v2/me/sessions', { method: 'DELETE', session: second })).status).toBe(204)
  expect(await personOf(second)).toBeNull()
})

test('own name, language and theme', async () => {
  const { session } = await seedPerson(app.db)
  const body = JSON.stringify({ name: ' Änne ', language: 'de', theme: 'dark' })

  const answer = await app.call('/api/v2/me', { method: 'PATCH', session, body })

  expect(answer.json()).toMatchObject({ name: 'Änne', language: 'de', theme: 'dark' })
  expect(await personOf(session)).toEqual(answer.json())
})
