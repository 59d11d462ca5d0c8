import { describe, expect, test, vi } from 'vitest'
import { createPasswordLink } from '#domain/people/administer-staff.ts'
import { linkPerson } from '#domain/people/link-identity.ts'
import { hashPassword } from '#domain/people/password.ts'
import { listFactorKinds } from '#domain/people/second-factors.queries.ts'
import { startApp } from '#test/app.ts'
import { codeOf, seedAuthenticatorApp, withinOnePeriod } from '#test/data/second-factors.ts'
import { seedPerson, testActor } from '#test/data/seed.ts'
import { type Answer, call } from '#test/network/http-client.ts'
import { createSoftwarePasskey } from '#test/software-passkey.ts'

const app = await startApp({ HOUSE_NAME: 'Hotel Adler' })
const password = 'four random words'
await seedPerson(app.db, { role: 'admin' }) // so that the setup is done
const fromPage = { origin: app.url, 'content-type': 'application/json' }

const post = (path: string, body: object, cookie = '') =>
  app.call(`/api/v2${path}`, { method: 'POST', headers: { ...fromPage, cookie }, body: JSON.stringify(body) })
const asPerson = (session: string, method: string, path: string, body?: object) =>
  app.call(`/api/v2${path}`, { method, session, ...(body && { body: JSON.stringify(body) }) })
const signIn = (email: string) => post('/session', { email, password })
/** The value of a cookie that the answer sets; empty if it deletes the cookie. */
const cookieOf = (answer: Answer, name: string) =>
  (answer.headers['set-cookie'] as string[] | undefined)
    ?.map((cookie) => new RegExp(`^${name}=([^;]*)`).exec(cookie)?.[1])
    .find((value) => value !== undefined)
const pendingOf = (answer: Answer) => `voucher-second-step=${cookieOf(answer, 'voucher-second-step')}`
const sessionOf = (answer: Answer) => cookieOf(answer, 'voucher-session') as string
const errorOf = (answer: Answer) => [answer.status, answer.json().error]
const auditOf = async (staffId: string, action: string) =>
  (
    await app.db.query('select actor_name, details from audit where target_id = $1 and action = $2 order by id', [
      staffId,
      action,
    ])
  ).rows

async function personWithApp(role: 'desk' | 'admin' = 'desk') {
  const person = await seedPerson(app.db, { password, role })
  return { ...person, app: await seedAuthenticatorApp(app.db, person.id) }
}

describe('the second step of a sign-in', () => {
  test('a right password gives no session; a code of the app does', async () => {
    const person = await personWithApp()

    const first = await signIn(person.email)
    const between = await app.call('/api/v2/session', { headers: { cookie: pendingOf(first) } })
    const me = await app.call('/api/v2/me', { headers: { cookie: pendingOf(first) } })
    const second = await post('/session/second-factor', { code: await person.app.code() }, pendingOf(first))

    expect(first.json()).toEqual({ kind: 'second_factor', methods: ['app', 'recovery_code'] })
    expect(sessionOf(first)).toBeUndefined()
    expect(first.headers['set-cookie']?.[0]).toMatch(/; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
    expect(between.json()).toMatchObject({
      person: null,
      step: 'second_factor',
      second_factors: ['app', 'recovery_code'],
    })
    expect(me.status).toBe(401)
    expect(second.json()).toMatchObject({ kind: 'staff', id: person.id })
    const [recovery_code] = person.app.recoveryCodes
    expect(errorOf(await post('/session/second-factor', { recovery_code }, pendingOf(first)))).toEqual([
      401,
      'second_step_ended',
    ])
    expect(cookieOf(second, 'voucher-second-step')).toBe('')
    expect((await asPerson(sessionOf(second), 'GET', '/session')).json()).toMatchObject({
      person: { id: person.id },
      step: null,
      second_factors: [],
    })
    expect((await auditOf(person.id, 'staff.signed_in')).at(-1)?.details).toEqual({
      by: 'password',
      secondFactor: 'app',
    })
  })

  test('a token of the second step is not a session, and a session is not a second step', async () => {
    const person = await personWithApp()
    const token = cookieOf(await signIn(person.email), 'voucher-second-step') as string

    const asSession = await app.call('/api/v2/me', { session: token })
    const asStep = await post(
      '/session/second-factor',
      { code: await person.app.code() },
      `voucher-second-step=${person.session}`,
    )

    expect(errorOf(asSession)).toEqual([401, 'session_ended'])
    expect(errorOf(asStep)).toEqual([401, 'second_step_ended'])
  })

  test.each([
    [-2, 403],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 403],
  ])('the code of a phone whose clock is %i periods ahead: %i', async (periods, status) => {
    const answer = await withinOnePeriod(app.db, async () => {
      const person = await personWithApp()
      const pending = pendingOf(await signIn(person.email))
      return post('/session/second-factor', { code: await person.app.code(periods) }, pending)
    })

    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.json().message).toBe('This code is not right. Wait for the next one.')
  })

  test('a recovery code works once, as people type it, and is then missing in the count', async () => {
    const person = await personWithApp()
    const [code = ''] = person.app.recoveryCodes
    const give = async (recovery_code: string) =>
      post('/session/second-factor', { recovery_code }, pendingOf(await signIn(person.email)))

    const first = await give(` ${code.toUpperCase().replace('-', ' ')}`)
    const again = await give(code)
    const factors = await asPerson(sessionOf(first), 'GET', '/me/second-factors')

    expect(code).toMatch(/^[2-9a-hjkmnp-z]{4}-[2-9a-hjkmnp-z]{4}$/)
    expect(new Set(person.app.recoveryCodes).size).toBe(10)
    expect(first.status).toBe(200)
    expect(errorOf(again)).toEqual([403, 'recovery_code_wrong'])
    expect(factors.json().app.recovery_codes_left).toBe(9)
  })

  test('a one-time link sets the password, and the second factor is still needed', async () => {
    const person = await personWithApp()
    const { link } = await createPasswordLink(app.db, testActor, { id: person.id })

    const first = await post('/password-links', { token: link.token, new_password: 'some other four words' })
    const second = await post('/session/second-factor', { code: await person.app.code() }, pendingOf(first))

    expect([first.json().kind, sessionOf(first)]).toEqual(['second_factor', undefined])
    expect(second.status).toBe(200)
  })

  test.each([
    [
      'ten minutes have passed',
      `update pending_sign_ins set expires_at = now() - interval '1 second' where staff_id = $1`,
    ],
    ['the person is deactivated', `update staff set active = false where id = $1`],
  ])('it ends when %s', async (_, sql) => {
    const person = await personWithApp()
    const pending = pendingOf(await signIn(person.email))
    await app.db.query(sql, [person.id])

    expect(errorOf(await post('/session/second-factor', { code: await person.app.code() }, pending))).toEqual([
      401,
      'second_step_ended',
    ])
    expect((await app.call('/api/v2/session', { headers: { cookie: pending } })).json().step).toBeNull()
  })

  test('it ends when the password is changed, and when the person is signed out everywhere', async () => {
    const person = await personWithApp()
    const [first, second] = [pendingOf(await signIn(person.email)), pendingOf(await signIn(person.email))]
    const code = await person.app.code()

    const change = { current_password: password, new_password: 'some other four words' }
    expect((await asPerson(person.session, 'PUT', '/me/password', change)).status).toBe(204)
    const afterChange = await post('/session/second-factor', { code }, first)
    await asPerson(person.session, 'DELETE', '/me/sessions')
    const afterSignOut = await post('/session/second-factor', { code }, second)

    expect([errorOf(afterChange), errorOf(afterSignOut)]).toEqual(Array(2).fill([401, 'second_step_ended']))
  })

  test.each([{}, { code: '123456', recovery_code: 'x' }, { code: '12345' }, { code: 'abcdef' }, { passkey: {} }])(
    '%j is rejected by its form',
    async (body) => {
      expect((await post('/session/second-factor', body)).status).toBe(400)
    },
  )
})

describe('an authenticator app', () => {
  test('is set up in three steps; nothing changes before the last one', async () => {
    const person = await seedPerson(app.db, { password, role: 'admin' })
    const other = (await signIn(person.email)) as Answer
    const factors = async () => (await asPerson(person.session, 'GET', '/me/second-factors')).json()

    const begun = (await asPerson(person.session, 'POST', '/me/authenticator-app')).json()
    const tooEarly = await asPerson(person.session, 'POST', '/me/authenticator-app/activate')
    const wrong = await asPerson(person.session, 'POST', '/me/authenticator-app/check', {
      code: await codeOf(app.db, begun.secret, -9),
    })
    const code = await codeOf(app.db, begun.secret)
    const checked = await asPerson(person.session, 'POST', '/me/authenticator-app/check', { code })
    const before = [await factors(), (await signIn(person.email)).json().kind]
    const activated = await asPerson(person.session, 'POST', '/me/authenticator-app/activate')

    expect(begun.uri).toContain(`otpauth://totp/Hotel%20Adler:${encodeURIComponent(person.email)}?`)
    expect(begun.uri).toContain(`secret=${begun.secret}`)
    expect(begun.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect([errorOf(tooEarly), errorOf(wrong)]).toEqual([
      [409, 'authenticator_app_not_checked'],
      [403, 'second_factor_wrong'],
    ])
    expect(checked.json().recovery_codes).toHaveLength(10)
    expect(before).toEqual([{ app: null, passkeys: [], required: false }, 'staff'])
    expect(activated.status).toBe(204)
    expect(await factors()).toEqual({
      app: { added_at: expect.any(String), recovery_codes_left: 10 },
      passkeys: [],
      required: false,
    })
    // The other session began without a second factor.
    expect((await asPerson(sessionOf(other), 'GET', '/me')).status).toBe(401)
    // The code that was checked cannot be used to sign in.
    const pending = pendingOf(await signIn(person.email))
    expect(errorOf(await post('/session/second-factor', { code }, pending))).toEqual([403, 'second_factor_wrong'])
    const [recovery_code] = checked.json().recovery_codes
    expect((await post('/session/second-factor', { recovery_code }, pending)).status).toBe(200)
  })

  test('a setup ends after an hour, and when another one begins', async () => {
    const { id, session } = await seedPerson(app.db)
    const begin = async () => (await asPerson(session, 'POST', '/me/authenticator-app')).json().secret
    const check = async (secret: string) =>
      asPerson(session, 'POST', '/me/authenticator-app/check', { code: await codeOf(app.db, secret) })

    const [first, second] = [await begin(), await begin()]
    const replaced = await check(first)
    const right = await check(second)
    await app.db.query(`update authenticator_apps set created_at = now() - interval '1 hour' where staff_id = $1`, [id])
    const late = await check(second)

    expect([errorOf(replaced), right.status, errorOf(late)]).toEqual([
      [403, 'second_factor_wrong'],
      200,
      [409, 'authenticator_app_not_begun'],
    ])
  })

  test('a new app replaces the old one with its codes; the old one works until then', async () => {
    const person = await personWithApp()
    const { session } = person

    const begun = (await asPerson(session, 'POST', '/me/authenticator-app')).json()
    const code = await codeOf(app.db, begun.secret)
    await asPerson(session, 'POST', '/me/authenticator-app/check', { code })
    const [first, second, third] = person.app.recoveryCodes
    const pending = async () => pendingOf(await signIn(person.email))
    const before = await post('/session/second-factor', { recovery_code: first }, await pending())
    await asPerson(session, 'POST', '/me/authenticator-app/activate')
    const after = await post('/session/second-factor', { recovery_code: second }, await pending())
    const old = await post('/session/second-factor', { code: await person.app.code() }, await pending())

    expect([before.status, after.status, old.status, third?.length]).toEqual([200, 403, 403, 9])
    expect((await auditOf(person.id, 'staff.authenticator_app_added')).at(-1)?.details).toEqual({ replaced: true })
  })

  test('new recovery codes replace the old ones', async () => {
    const person = await personWithApp()
    const codes = (await asPerson(person.session, 'POST', '/me/recovery-codes')).json().recovery_codes
    const give = async (recovery_code: string) =>
      (await post('/session/second-factor', { recovery_code }, pendingOf(await signIn(person.email)))).status

    expect(codes).toHaveLength(10)
    expect([await give(person.app.recoveryCodes[0] as string), await give(codes[0])]).toEqual([403, 200])
  })

  test('is removed, and the password is enough again', async () => {
    const person = await personWithApp()

    const removed = await asPerson(person.session, 'DELETE', '/me/authenticator-app')

    expect(removed.status).toBe(204)
    expect((await signIn(person.email)).json().kind).toBe('staff')
    expect((await asPerson(person.session, 'DELETE', '/me/authenticator-app')).status).toBe(404)
    expect(errorOf(await asPerson(person.session, 'POST', '/me/recovery-codes'))).toEqual([
      409,
      'authenticator_app_missing',
    ])
  })
})

describe('a second factor that a role needs', () => {
  const path = '/settings/second-factor'
  const require = (session: string, required: string[]) => asPerson(session, 'PUT', path, { required })

  test('the settings count people and name those without a factor; people who sign in only by the provider need none', async () => {
    const own = await startApp()
    const admin = await seedPerson(own.db, { role: 'admin', name: 'Zoe' })
    await seedAuthenticatorApp(own.db, admin.id)
    await seedPerson(own.db, { role: 'manager', name: 'Mehmet' })
    const gone = await seedPerson(own.db, { role: 'manager', name: 'Gone' })
    await own.db.query('update staff set active = false where id = $1', [gone.id])
    const byProvider = [
      await seedPerson(own.db, { role: 'manager', name: 'Anna' }),
      await seedPerson(own.db, { role: 'admin', name: 'Uwe' }),
    ]
    const withPassword = await seedPerson(own.db, { role: 'manager', name: 'Lea', password })
    for (const { id } of [...byProvider, withPassword])
      await linkPerson(own.db, testActor, { id }, { issuer: 'https://login.example.com', subject: id })
    await seedAuthenticatorApp(own.db, (byProvider[1] as { id: string }).id)

    const body = JSON.stringify({ required: ['manager', 'manager', 'admin'] })
    const changed = await own.call(`/api/v2${path}`, { method: 'PUT', session: admin.session, body })

    expect(changed.json()).toEqual({
      roles: {
        desk: { required: false, people: 0, with_factor: 0, by_provider: 0, without_factor: [] },
        manager: { required: true, people: 3, with_factor: 0, by_provider: 1, without_factor: ['Lea', 'Mehmet'] },
        admin: { required: true, people: 2, with_factor: 2, by_provider: 0, without_factor: [] },
      },
      own_factor: true,
    })
    expect((await own.call(`/api/v2${path}`, { session: admin.session })).json()).toEqual(changed.json())
    const { rows } = await own.db.query(`select details from audit where action = 'settings.second_factor_changed'`)
    expect(rows).toEqual([{ details: { changes: { roles: ['manager', 'admin'] }, before: { roles: [] } } }])
  })

  test('somebody without one can only set it up after the next sign-in; sessions that exist stay as they are', async () => {
    const admin = await personWithApp('admin')
    const person = await seedPerson(app.db, { password, role: 'manager' })
    expect((await require(admin.session, ['manager'])).status).toBe(200)

    const session = sessionOf(await signIn(person.email))
    const step = async () => (await asPerson(session, 'GET', '/session')).json().step
    const before = [await step(), errorOf(await asPerson(session, 'GET', '/sites'))]
    const earlier = await asPerson(person.session, 'GET', '/sites')
    const begun = (await asPerson(session, 'POST', '/me/authenticator-app')).json()
    const code = await codeOf(app.db, begun.secret)
    await asPerson(session, 'POST', '/me/authenticator-app/check', { code })
    await asPerson(session, 'POST', '/me/authenticator-app/activate')
    const last = await asPerson(session, 'DELETE', '/me/authenticator-app')

    expect(before).toEqual(['set_up', [403, 'second_factor_missing']])
    expect(earlier.status).toBe(200)
    expect([await step(), (await asPerson(session, 'GET', '/sites')).status]).toEqual([null, 200])
    expect(errorOf(last)).toEqual([409, 'last_second_factor'])
    expect((await asPerson(session, 'GET', '/me/second-factors')).json().required).toBe(true)
    await require(admin.session, [])
    expect((await asPerson(session, 'DELETE', '/me/authenticator-app')).status).toBe(204)
  })

  test('somebody who signs in with a one-time link must set it up first too', async () => {
    const admin = await personWithApp('admin')
    const person = await seedPerson(app.db, { role: 'manager' })
    const { link } = await createPasswordLink(app.db, testActor, { id: person.id })
    await require(admin.session, ['manager'])

    const session = sessionOf(await post('/password-links', { token: link.token, new_password: password }))
    const { step } = (await asPerson(session, 'GET', '/session')).json()
    await require(admin.session, [])

    expect(step).toBe('set_up')
  })

  test('an administrator needs a factor to require one of administrators; the provider counts as one', async () => {
    const { id, session } = await seedPerson(app.db, { role: 'admin' })

    const ownFactor = async () => (await asPerson(session, 'GET', path)).json().own_factor
    const before = await ownFactor()
    const without = await require(session, ['admin'])
    await app.db.query(`update staff_sessions set signed_in_by = 'provider' where staff_id = $1`, [id])
    const byProvider = await require(session, ['admin'])
    const after = await ownFactor()
    await require(session, [])

    expect(errorOf(without)).toEqual([409, 'own_factor_missing'])
    expect(byProvider.status).toBe(200)
    expect([before, after]).toEqual([false, true])
  })

  test('an administrator who requires a factor while removing their own last one has one afterwards', async () => {
    const { id, session } = await personWithApp('admin')
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const untilWaiting = (count: number) =>
      vi.waitUntil(async () => (await app.db.query(waiting)).rowCount === count, { timeout: 30_000 })

    const answers = await app.db.transaction(async (tx) => {
      await tx.query('lock table audit in share mode') // both changes wait before their end
      const removal = asPerson(session, 'DELETE', '/me/authenticator-app')
      await untilWaiting(1)
      const requiring = require(session, ['admin'])
      await untilWaiting(2)
      return [removal, requiring]
    })

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([204, 409])
    expect((await app.db.query('select from authenticator_apps where staff_id = $1', [id])).rowCount).toBe(0)
  })

  test('somebody who signed in by the provider needs none, and without a password can remove the last one', async () => {
    const admin = await personWithApp('admin')
    const person = await seedPerson(app.db, { role: 'manager' })
    await linkPerson(app.db, testActor, { id: person.id }, { issuer: 'https://login.example.com', subject: person.id })
    await seedAuthenticatorApp(app.db, person.id)
    await require(admin.session, ['manager'])
    const isRequired = async () => (await asPerson(person.session, 'GET', '/me/second-factors')).json().required

    const withPassword = await isRequired()
    await app.db.query(`update staff_sessions set signed_in_by = 'provider' where staff_id = $1`, [person.id])
    const byProvider = await isRequired()
    const removed = await asPerson(person.session, 'DELETE', '/me/authenticator-app')
    await require(admin.session, [])

    expect([withPassword, byProvider, removed.status]).toEqual([true, false, 204])
  })
})

describe('signing in again', () => {
  const age = (staffId: string) =>
    app.db.query(`update staff_sessions set authenticated_at = now() - interval '16 minutes' where staff_id = $1`, [
      staffId,
    ])
  const rename = (session: string, id: string) => asPerson(session, 'PATCH', `/staff/${id}`, { name: 'Eva' })

  test('after 15 minutes, a change of a person needs the password once more', async () => {
    const { id } = await seedPerson(app.db)
    const admin = await seedPerson(app.db, { role: 'admin', password })
    await age(admin.id)

    const before = await rename(admin.session, id)
    const options = await asPerson(admin.session, 'POST', '/session/again/options')
    const wrong = await asPerson(admin.session, 'POST', '/session/again', { password: 'not the password' })
    const stillBefore = await rename(admin.session, id)
    const again = await asPerson(admin.session, 'POST', '/session/again', { password })

    expect(errorOf(before)).toEqual([403, 'sign_in_again'])
    expect(options.json()).toEqual({ methods: ['password'], passkey_options: null })
    expect(errorOf(wrong)).toEqual([403, 'password_wrong'])
    expect(errorOf(stillBefore)).toEqual([403, 'sign_in_again'])
    expect([again.status, (await rename(admin.session, id)).status]).toEqual([204, 200])
    expect((await auditOf(admin.id, 'staff.signed_in_again')).map(({ details }) => details)).toEqual([
      { by: 'password' },
    ])
  })

  test('20 passwords can be tried in 15 minutes', async () => {
    const { id, session } = await seedPerson(app.db, { password })
    const fast = await hashPassword(password, { N: 2, r: 1, p: 1 })
    await app.db.query('update staff set password_hash = $2 where id = $1', [id, fast])
    const attempt = async (typed: string) =>
      (await asPerson(session, 'POST', '/session/again', { password: typed })).status

    for (let n = 0; n < 20; n++) expect(await attempt('not the password')).toBe(403)
    expect(await attempt(password)).toBe(429)
  })

  test('with a second factor, that factor is needed instead of the password, and a code works once', async () => {
    const admin = await personWithApp('admin')
    const code = await admin.app.code()
    await age(admin.id)

    const options = await asPerson(admin.session, 'POST', '/session/again/options')
    const byPassword = await asPerson(admin.session, 'POST', '/session/again', { password })
    const byCode = await asPerson(admin.session, 'POST', '/session/again', { code })
    const replayed = await asPerson(admin.session, 'POST', '/session/again', { code })

    expect(options.json().methods).toEqual(['code'])
    expect(errorOf(byPassword)).toEqual([403, 'sign_in_again_otherwise'])
    expect(byCode.status).toBe(204)
    expect(errorOf(replayed)).toEqual([403, 'second_factor_wrong'])
  })

  test('a session by the provider is confirmed there', async () => {
    const { id, session } = await seedPerson(app.db, { password })
    await linkPerson(app.db, testActor, { id }, { issuer: 'https://login.example.com', subject: id })
    await app.db.query(`update staff_sessions set signed_in_by = 'provider' where staff_id = $1`, [id])

    const options = await asPerson(session, 'POST', '/session/again/options')

    expect(options.json().methods).toEqual(['provider'])
    expect(errorOf(await asPerson(session, 'POST', '/session/again', { password }))).toEqual([
      403,
      'sign_in_again_otherwise',
    ])
  })
})

describe('reset by an administrator', () => {
  test('removes all factors and ends sessions, links and sign-ins without a second step', async () => {
    const admin = await seedPerson(app.db, { role: 'admin' })
    const person = await personWithApp()
    const pending = pendingOf(await signIn(person.email))
    const { link } = await createPasswordLink(app.db, testActor, { id: person.id })
    const member = async () => (await asPerson(admin.session, 'GET', `/staff/${person.id}`)).json().second_factors

    const before = await member()
    const reset = await asPerson(admin.session, 'DELETE', `/staff/${person.id}/second-factors`)

    expect([before, reset.status, await member()]).toEqual([['app'], 204, []])
    expect((await asPerson(person.session, 'GET', '/me')).status).toBe(401)
    expect((await post('/session/second-factor', { code: '123456' }, pending)).status).toBe(401)
    expect((await post('/password-links', { token: link.token, new_password: 'some other four words' })).status).toBe(
      403,
    )
    expect((await signIn(person.email)).json().kind).toBe('staff')
    expect((await auditOf(person.id, 'staff.second_factors_reset')).at(0)?.details).toEqual({
      name: 'Anna',
      removed: ['app'],
      sessions: 1,
    })
  })

  test.each([
    ['an app', '/me/authenticator-app/activate', beginApp],
    ['a passkey', '/me/passkeys', beginPasskey],
  ])('a request on its way does not add %s afterwards', async (_, path, begin) => {
    const person = await seedPerson(app.db)
    const body = await begin(person.session)
    const coming = await app.db.transaction(async (tx) => {
      await tx.query('select from staff where id = $1 for no key update', [person.id])
      const cookie = `voucher-session=${person.session}`
      const headers = { ...fromPage, cookie }
      const answer = call(`${app.url}/api/v2${path}`, { method: 'POST', headers, body: JSON.stringify(body ?? {}) })
      await vi.waitUntil(async () => (await app.db.query(waiting)).rowCount, { timeout: 30_000 })
      await tx.query('delete from staff_sessions where staff_id = $1', [person.id])
      return { answer }
    })

    expect(errorOf(await coming.answer)).toEqual([401, 'session_ended'])
    expect(await listFactorKinds(app.db, person.id)).toEqual([])
  })

  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

  async function beginApp(session: string): Promise<undefined> {
    const { secret } = (await asPerson(session, 'POST', '/me/authenticator-app')).json()
    await asPerson(session, 'POST', '/me/authenticator-app/check', { code: await codeOf(app.db, secret) })
  }

  async function beginPasskey(session: string) {
    const options = (await asPerson(session, 'POST', '/me/passkeys/options')).json()
    return { name: 'Security key', response: createSoftwarePasskey({ origin: app.url }).register(options) }
  }

  test('is not possible for their own account', async () => {
    const admin = await personWithApp('admin')

    expect(errorOf(await asPerson(admin.session, 'DELETE', `/staff/${admin.id}/second-factors`))).toEqual([
      409,
      'own_account',
    ])
  })
})
