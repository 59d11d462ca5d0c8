import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedAuthenticatorApp } from '#test/data/second-factors.ts'
import { seedPerson } from '#test/data/seed.ts'
import type { Answer } from '#test/network/http-client.ts'
import { createSoftwarePasskey } from '#test/software-passkey.ts'

const app = await startApp()
const password = 'four random words'
await seedPerson(app.db, { role: 'admin' }) // so that the setup is done
const fromPage = { origin: app.url, 'content-type': 'application/json' }

const post = (path: string, body?: object, cookie = '') =>
  app.call(`/api/v2${path}`, {
    method: 'POST',
    headers: { ...fromPage, cookie },
    ...(body && { body: JSON.stringify(body) }),
  })
const asPerson = (session: string, method: string, path: string, body?: object) =>
  app.call(`/api/v2${path}`, { method, session, ...(body && { body: JSON.stringify(body) }) })
const errorOf = (answer: Answer) => [answer.status, answer.json().error]
const factorsOf = async (session: string) => (await asPerson(session, 'GET', '/me/second-factors')).json()

type Made = ReturnType<typeof createSoftwarePasskey>

async function register(session: string, passkey: Made, made: { counter?: number; from?: string } = {}) {
  const options = (await asPerson(session, 'POST', '/me/passkeys/options')).json()
  return asPerson(session, 'POST', '/me/passkeys', { name: 'Security key', response: passkey.register(options, made) })
}

async function personWithPasskey(counter = 0) {
  const person = await seedPerson(app.db, { password, role: 'admin' })
  const passkey = createSoftwarePasskey({ origin: app.url })
  const { id: passkeyId } = (await register(person.session, passkey, { counter })).json()
  return { ...person, passkey, passkeyId }
}

/** The cookie of the second step, and the options for the browser. */
async function startStep(email: string) {
  const first = await post('/session', { email, password })
  const cookie = String(first.headers['set-cookie']?.[0]).split(';', 1)[0] as string
  return { cookie, options: (await post('/session/second-factor/passkey-options', undefined, cookie)).json() }
}

describe('adding a passkey', () => {
  test.each([['usb'], [['usb', ['nfc']]], [5], [[{ toString: 1 }]]])(
    'transports that are no texts are left out: %j',
    async (transports) => {
      const { session, id } = await seedPerson(app.db, { password })
      const passkey = createSoftwarePasskey({ origin: app.url })
      const made = passkey.register((await asPerson(session, 'POST', '/me/passkeys/options')).json())
      const response = { ...made, response: { ...made.response, transports } }

      expect((await asPerson(session, 'POST', '/me/passkeys', { name: 'x', response })).status).toBe(201)
      const { rows } = await app.db.query('select transports from passkeys where staff_id = $1', [id])
      expect(rows).toEqual([{ transports: Array.isArray(transports) && transports[0] === 'usb' ? ['usb'] : [] }])
    },
  )

  test('a second step without a factor is over: the person removed the last one meanwhile', async () => {
    const { email, session, passkeyId } = await personWithPasskey()
    const { cookie } = await startStep(email)
    await asPerson(session, 'DELETE', `/me/passkeys/${passkeyId}`)

    const answer = await app.call('/api/v2/session', { headers: { cookie } })
    expect(answer.json()).toMatchObject({ step: null, second_factors: [] })
  })

  test('the browser gets options for this host; the passkey is in the list, and is a second factor', async () => {
    const person = await seedPerson(app.db, { password })
    const passkey = createSoftwarePasskey({ origin: app.url })

    const options = (await asPerson(person.session, 'POST', '/me/passkeys/options')).json()
    const added = await asPerson(person.session, 'POST', '/me/passkeys', {
      name: ' iPhone ',
      response: passkey.register(options),
    })

    expect(options).toMatchObject({
      rp: { id: '127.0.0.1', name: 'Voucher Service' },
      user: { name: person.email, displayName: 'Anna' },
      authenticatorSelection: { userVerification: 'preferred' },
      excludeCredentials: [],
    })
    expect(added.status).toBe(201)
    expect(await factorsOf(person.session)).toEqual({ app: null, passkeys: [added.json()], required: false })
    expect(added.json()).toEqual({
      id: expect.any(String),
      name: 'iPhone',
      added_at: expect.any(String),
      last_used_at: null,
      counter_went_back_at: null,
    })
    expect((await post('/session', { email: person.email, password })).json()).toEqual({
      kind: 'second_factor',
      methods: ['passkey'],
    })
    const more = (await asPerson(person.session, 'POST', '/me/passkeys/options')).json()
    expect(more.excludeCredentials).toEqual([{ id: passkey.id, type: 'public-key', transports: ['internal'] }])
  })

  test.each([
    ['a page of another origin', { from: 'https://evil.example' }, {}],
    ['another host', {}, { host: 'evil.example' }],
  ])('%s: rejected', async (_, made, of) => {
    const { session } = await seedPerson(app.db)

    expect(errorOf(await register(session, createSoftwarePasskey({ origin: app.url, ...of }), made))).toEqual([
      403,
      'passkey_rejected',
    ])
    expect((await factorsOf(session)).passkeys).toEqual([])
  })

  test('options work once, in the session that got them, and for five minutes', async () => {
    const [person, other] = [await seedPerson(app.db), await seedPerson(app.db)]
    const passkey = createSoftwarePasskey({ origin: app.url })
    const options = (await asPerson(person.session, 'POST', '/me/passkeys/options')).json()
    const add = (session: string) =>
      asPerson(session, 'POST', '/me/passkeys', { name: 'Key', response: passkey.register(options) })

    const statuses = [await add(other.session), await add(person.session), await add(person.session)]
    const late = (await asPerson(other.session, 'POST', '/me/passkeys/options')).json()
    await app.db.query(`update passkey_challenges set expires_at = now() - interval '1 second'`)
    const tooLate = await asPerson(other.session, 'POST', '/me/passkeys', {
      name: 'Key',
      response: createSoftwarePasskey({ origin: app.url }).register(late),
    })

    expect(statuses.map(({ status }) => status)).toEqual([403, 201, 403])
    expect(errorOf(tooLate)).toEqual([403, 'passkey_rejected'])
  })

  test('a passkey that somebody has already, and the 21st one: 409', async () => {
    const [person, other] = [await personWithPasskey(), await seedPerson(app.db)]
    const known = await register(other.session, person.passkey)
    await app.db.query(
      `insert into passkeys (id, staff_id, credential_id, public_key, host, counter, transports, name)
       select gen_random_uuid(), $1::uuid, decode(md5($1::text || n), 'hex'), '', '127.0.0.1', 0, '{}', 'Key'
         from generate_series(1, 19) n`,
      [person.id],
    )

    expect(errorOf(known)).toEqual([409, 'passkey_known'])
    expect(errorOf(await asPerson(person.session, 'POST', '/me/passkeys/options'))).toEqual([409, 'passkeys_too_many'])
  })

  test('people rename and remove only their own ones', async () => {
    const [person, other] = [await personWithPasskey(), await seedPerson(app.db)]
    const path = `/me/passkeys/${person.passkeyId}`

    const foreign = [
      await asPerson(other.session, 'PATCH', path, { name: 'Mine' }),
      await asPerson(other.session, 'DELETE', path),
    ]
    const renamed = await asPerson(person.session, 'PATCH', path, { name: 'Blue key' })
    const removed = await asPerson(person.session, 'DELETE', path)

    expect(foreign.map(({ status }) => status)).toEqual([404, 404])
    expect([renamed.status, renamed.json().name, removed.status]).toEqual([200, 'Blue key', 204])
    expect((await post('/session', { email: person.email, password })).json().kind).toBe('staff')
  })

  test('the last factor of a role that needs one stays', async () => {
    const person = await personWithPasskey()
    const require = (required: string[]) => asPerson(person.session, 'PUT', '/settings/second-factor', { required })
    await require(['admin'])

    const last = await asPerson(person.session, 'DELETE', `/me/passkeys/${person.passkeyId}`)
    await seedAuthenticatorApp(app.db, person.id)
    const notLast = await asPerson(person.session, 'DELETE', `/me/passkeys/${person.passkeyId}`)
    await require([])

    expect([errorOf(last), notLast.status]).toEqual([[409, 'last_second_factor'], 204])
  })
})

describe('a passkey as the second factor', () => {
  test('signs in, and its use is noted', async () => {
    const person = await personWithPasskey(7)
    const { cookie, options } = await startStep(person.email)

    const answer = await post(
      '/session/second-factor',
      { passkey: person.passkey.assert(options, { counter: 8 }) },
      cookie,
    )

    expect(options).toMatchObject({ rpId: '127.0.0.1', allowCredentials: [{ id: person.passkey.id }] })
    expect(answer.json()).toMatchObject({ kind: 'staff', id: person.id })
    expect((await factorsOf(person.session)).passkeys).toMatchObject([{ last_used_at: expect.any(String) }])
  })

  test('a passkey without a counter works more than once', async () => {
    const person = await personWithPasskey()
    for (let round = 0; round < 2; round++) {
      const { cookie, options } = await startStep(person.email)
      expect((await post('/session/second-factor', { passkey: person.passkey.assert(options) }, cookie)).status).toBe(
        200,
      )
    }
  })

  test.each([6, 7, 0])(
    'a counter that goes back from 7 to %i is reported, and the sign-in is rejected',
    async (counter) => {
      const person = await personWithPasskey(7)
      const { cookie, options } = await startStep(person.email)

      const answer = await post(
        '/session/second-factor',
        { passkey: person.passkey.assert(options, { counter }) },
        cookie,
      )

      expect(errorOf(answer)).toEqual([403, 'passkey_counter_went_back'])
      expect((await factorsOf(person.session)).passkeys).toMatchObject([
        { last_used_at: null, counter_went_back_at: expect.any(String) },
      ])
      const { rows } = await app.db.query(
        `select actor_kind, details from audit where target_id = $1 and action = 'staff.passkey_counter_went_back'`,
        [person.id],
      )
      expect(rows).toEqual([{ actor_kind: 'service', details: { passkey: 'Security key' } }])
    },
  )

  test.each([
    [
      'a page of another origin',
      (passkey: Made, options: any) => passkey.assert(options, { from: 'https://evil.example' }),
    ],
    ['another challenge', (passkey: Made) => passkey.assert({ challenge: 'b3RoZXI' })],
    ['another host', (passkey: Made, options: any) => passkey.assert(options, { at: 'evil.example' })],
    [
      'another key',
      (passkey: Made, options: any) => ({
        ...createSoftwarePasskey({ origin: app.url }).assert(options),
        id: passkey.id,
        rawId: passkey.id,
      }),
    ],
    ['an unknown passkey', (_: Made, options: any) => createSoftwarePasskey({ origin: app.url }).assert(options)],
  ])('%s: rejected', async (_, assert) => {
    const person = await personWithPasskey()
    const { cookie, options } = await startStep(person.email)

    const answer = await post('/session/second-factor', { passkey: assert(person.passkey, options) }, cookie)

    expect(errorOf(answer)).toEqual([403, 'passkey_rejected'])
    expect((await factorsOf(person.session)).passkeys).toMatchObject([{ last_used_at: null }])
  })

  test('a rejected passkey is in the audit, and 60 of one sign-in are checked in 15 minutes', async () => {
    const person = await personWithPasskey()
    const { cookie, options } = await startStep(person.email)
    const give = (passkey: object) => post('/session/second-factor', { passkey }, cookie)
    for (let n = 0; n < 60; n++) expect((await give(person.passkey.assert({ challenge: 'b3RoZXI' }))).status).toBe(403)

    expect((await give(person.passkey.assert(options))).status).toBe(429)
    const next = await startStep(person.email) // somebody who knows the password cannot lock the passkeys
    const right = await post('/session/second-factor', { passkey: person.passkey.assert(next.options) }, next.cookie)
    expect(right.status).toBe(200)
    const sql = `select details from audit where target_id = $1 and action = 'staff.second_factor_rejected' order by id`
    const recorded = async () => (await app.db.query(sql, [person.id])).rows.map(({ details }) => details.attempts)
    await expect.poll(recorded).toEqual([1, 2, 3, 10, 30])
  })

  test('the passkey of another person: rejected', async () => {
    const [person, other] = [await personWithPasskey(), await personWithPasskey()]
    const { cookie, options } = await startStep(person.email)

    const answer = await post('/session/second-factor', { passkey: other.passkey.assert(options) }, cookie)

    expect(errorOf(answer)).toEqual([403, 'passkey_rejected'])
  })

  test('an answer works once, also in two requests at the same time', async () => {
    const person = await personWithPasskey()
    const { cookie, options } = await startStep(person.email)
    const passkey = person.passkey.assert(options)

    const answers = await Promise.all([1, 2].map(() => post('/session/second-factor', { passkey }, cookie)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
  })

  test('there are options only at the host for which it was made', async () => {
    const person = await personWithPasskey()
    await app.db.query(`update passkeys set host = 'desk.example.com' where staff_id = $1`, [person.id])

    expect((await startStep(person.email)).options.error).toBe('passkeys_elsewhere')
  })

  test('it confirms a session that is older than 15 minutes', async () => {
    const person = await personWithPasskey()
    await app.db.query(`update staff_sessions set authenticated_at = now() - interval '1 hour' where staff_id = $1`, [
      person.id,
    ])

    const { methods, passkey_options } = (await asPerson(person.session, 'POST', '/session/again/options')).json()
    const confirmed = await asPerson(person.session, 'POST', '/session/again', {
      passkey: person.passkey.assert(passkey_options),
    })

    expect([methods, confirmed.status]).toEqual([['passkey'], 204])
    expect((await asPerson(person.session, 'POST', '/me/authenticator-app')).status).toBe(201)
  })
})
