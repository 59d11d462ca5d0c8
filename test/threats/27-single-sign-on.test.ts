import { beforeEach, describe, expect, test } from 'vitest'
import { encrypt } from '#lib/cipher.ts'
import { seedPerson } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { type CookieJar, createCookieJar } from '#test/network/cookie-jar.ts'
import { createKey, signToken, startOidcProvider, type Token } from '#test/network/oidc-provider.ts'
import { mapGroups, plantSession, publicUrl, sessionOf, startSignOn } from '#test/single-sign-on.ts'

// Attackers between the browser, the service and the provider: forged, foreign, repeated and exchanged answers.

const anna = { sub: 'anna', email: 'anna@adler.example', name: 'Anna Weber', groups: ['empfang'] }
const signOn = await startSignOn([anna, { ...anna, sub: 'mallory', email: 'mallory@evil.example' }])
const { app, provider } = signOn
const { host } = new URL(app.url)
await mapGroups(app, { empfang: { role: 'desk' } })

beforeEach(() => {
  Object.assign(provider, { current: 'anna', rewriteToken: undefined, rewriteJson: undefined })
})

const sessions = async () =>
  (await app.db.query('select count(*)::integer as count from staff_sessions')).rows[0]?.count
const flowOf = (jar: CookieJar) => jar.cookies.get(host)?.get('voucher-sso')
const changed = (callback: string, change: (parameters: URLSearchParams) => void) => {
  const url = new URL(callback)
  change(url.searchParams)
  return url.href
}

test('the unchanged flow signs in', async () => {
  const jar = createCookieJar()
  const answer = await signOn.signIn(jar, '?next=/vouchers')

  expect([answer.status, answer.headers.location]).toEqual([303, '/vouchers'])
  expect(sessionOf(app, jar)).toMatch(/^\w{43}$/)
  expect(flowOf(jar)).toBeUndefined()
})

describe('a forged or foreign token is rejected', () => {
  const { privateKey: otherKey } = createKey('first')
  type Sign = (token: Omit<Token, 'signature'>) => Token
  const claims = (change: object) => (token: Token, sign: Sign) =>
    sign({ ...token, claims: { ...token.claims, ...change } })

  test.each<[string, (token: Token, sign: Sign) => Token]>([
    ['another issuer', claims({ iss: 'https://evil.example' })],
    ['another audience', claims({ aud: 'another-client' })],
    ['several audiences, and the token is for another client', claims({ aud: ['vouchers', 'x'], azp: 'x' })],
    ['another nonce', claims({ nonce: 'planted' })],
    ['no nonce', claims({ nonce: undefined })],
    ['no subject', claims({ sub: undefined })],
    ['another key', (token) => ({ ...token, signature: signToken(token, otherKey) })],
    ['changed claims', (token) => ({ ...token, claims: { ...token.claims, sub: 'mallory' } })],
    ['no signature', (token) => ({ ...token, signature: '' })],
    ['alg none', (token) => ({ ...token, header: { alg: 'none' }, signature: '' })],
    ['alg none, signed', (token, sign) => sign({ ...token, header: { ...token.header, alg: 'none' } })],
    ['alg HS256', (token, sign) => sign({ ...token, header: { ...token.header, alg: 'HS256' } })],
  ])('%s', async (_, rewrite) => {
    const [before, jar] = [await sessions(), createCookieJar()]
    provider.rewriteToken = rewrite

    const answer = await signOn.signIn(jar)

    expect(answer.headers.location).toBe('/sign-in?problem=provider_answer_invalid')
    expect([await sessions(), sessionOf(app, jar)]).toEqual([before, undefined])
  })

  test('an expired token', async () => {
    provider.rewriteToken = claims({ exp: Math.floor(Date.now() / 1000) - 3600 })

    expect((await signOn.signIn(createCookieJar())).headers.location).toBe('/sign-in?problem=provider_clock_differs')
  })
})

describe('the answer belongs to the browser that asked', () => {
  test.each<[string, (callback: string) => string, string]>([
    ['no state', (url) => changed(url, (query) => query.delete('state')), 'provider_sign_in_expired'],
    ['another state', (url) => changed(url, (query) => query.set('state', 'planted')), 'provider_sign_in_expired'],
    ['two states', (url) => changed(url, (query) => query.append('state', 'planted')), 'provider_answer_invalid'],
    ['another code', (url) => changed(url, (query) => query.set('code', 'planted')), 'provider_answer_invalid'],
    ['no code', (url) => changed(url, (query) => query.delete('code')), 'provider_answer_invalid'],
    [
      'the answer of another issuer',
      (url) => changed(url, (query) => query.set('iss', 'https://evil.example')),
      'provider_answer_invalid',
    ],
    [
      'no issuer, although the provider announces it',
      (url) => changed(url, (query) => query.delete('iss')),
      'provider_answer_invalid',
    ],
  ])('%s: rejected', async (_, change, problem) => {
    const [before, jar] = [await sessions(), createCookieJar()]
    const callback = await signOn.goToProvider(jar)

    const answer = await signOn.comeBack(jar, change(callback))

    expect(answer.headers.location).toBe(`/sign-in?problem=${problem}`)
    expect([await sessions(), sessionOf(app, jar)]).toEqual([before, undefined])
    // Another website can send the browser here too. It must not end the sign-in.
    expect(flowOf(jar) !== undefined).toBe(problem === 'provider_sign_in_expired')
  })

  test('an answer that somebody sends to another browser is rejected', async () => {
    const [attacker, victim] = [createCookieJar(), createCookieJar()]
    provider.current = 'mallory'
    const callback = await signOn.goToProvider(attacker)
    provider.current = 'anna'

    const withoutFlow = await signOn.comeBack(victim, callback)
    await signOn.goToProvider(victim)
    const withOtherFlow = await signOn.comeBack(victim, callback)

    for (const { headers } of [withoutFlow, withOtherFlow])
      expect(headers.location).toBe('/sign-in?problem=provider_sign_in_expired')
    expect(sessionOf(app, victim)).toBeUndefined()
  })

  test('the code of another browser fails, because the PKCE verifier is another one', async () => {
    const [attacker, victim] = [createCookieJar(), createCookieJar()]
    const stolen = new URL(await signOn.goToProvider(victim)).searchParams.get('code') as string
    const toProvider = (await attacker.get(`${app.url}/sso/start`)).headers.location as string
    const { url: own } = await attacker.follow(toProvider, (url) => url.startsWith(publicUrl))
    // The nonce fits, so that only the verifier is left.
    const nonce = new URL(toProvider).searchParams.get('nonce')
    provider.rewriteToken = (token, sign) => sign({ ...token, claims: { ...token.claims, nonce } })

    const answer = await signOn.comeBack(
      attacker,
      changed(own, (query) => query.set('code', stolen)),
    )

    expect(answer.headers.location).toBe('/sign-in?problem=provider_answer_invalid')
    expect(sessionOf(app, attacker)).toBeUndefined()
  })

  test('an answer works once: the cookie of the flow is deleted, and the provider rejects the code if the cookie was copied', async () => {
    const jar = createCookieJar()
    const callback = await signOn.goToProvider(jar)
    const copied = flowOf(jar) as string
    await signOn.comeBack(jar, callback)
    const thief = createCookieJar()
    thief.cookies.set(host, new Map([['voucher-sso', copied]]))

    const [again, byThief] = [await signOn.comeBack(jar, callback), await signOn.comeBack(thief, callback)]

    expect(again.headers.location).toBe('/sign-in?problem=provider_sign_in_expired')
    expect(byThief.headers.location).toBe('/sign-in?problem=provider_answer_invalid')
    expect(sessionOf(app, thief)).toBeUndefined()
  })

  test.each([
    ['garbage', () => 'v1.test.AAAA'],
    ['another format', () => 'x'],
    [
      'an encrypted value of another place',
      () => encrypt(testKeyring, { table: 'sites', column: 'x', row: '1' }, '{}'),
    ],
    ['a flow that is too old', () => flow({ endsAt: Date.now() - 1000 })],
    ['a flow of another provider', () => flow({ issuer: 'https://evil.example' })],
  ])('a cookie with %s: rejected', async (_, value) => {
    const jar = createCookieJar()
    jar.cookies.set(host, new Map([['voucher-sso', value()]]))

    const answer = await signOn.comeBack(jar, `${publicUrl}/sso/callback?code=x&state=s&iss=${provider.issuer}`)

    expect(answer.headers.location).toBe('/sign-in?problem=provider_sign_in_expired')
  })

  const flow = (change: object) => {
    const parts = { state: 's', nonce: 'n', verifier: 'v', purpose: 'sign-in', next: '/', sessionId: null }
    const value = { ...parts, issuer: provider.issuer, endsAt: Date.now() + 60_000, ...change }
    return encrypt(testKeyring, { table: 'cookies', column: 'value', row: 'voucher-sso' }, JSON.stringify(value))
  }
})

test('a session that somebody planted in the browser before the callback ends', async () => {
  const planted = await seedPerson(app.db, { role: 'admin' })
  const jar = createCookieJar()
  const callback = await signOn.goToProvider(jar)
  plantSession(app, jar, planted.session)

  await signOn.comeBack(jar, callback)

  expect(sessionOf(app, jar)).not.toBe(planted.session)
  expect((await app.call('/api/v2/me', { session: planted.session })).status).toBe(401)
  const me = await app.call('/api/v2/me', { session: sessionOf(app, jar) as string })
  expect(me.json().email).toBe('anna@adler.example')
})

test.each(['https://evil.example', '//evil.example', '/%5Cevil.example', '/\\evil.example', 'javascript:alert(1)'])(
  'next=%s does not leave our pages',
  async (next) => {
    const answer = await signOn.signIn(createCookieJar(), `?next=${encodeURIComponent(next)}`)

    expect(new URL(answer.headers.location as string, publicUrl).origin).toBe(publicUrl)
    expect(answer.headers.location).toMatch(/^\/(?![/\\])/)
  },
)

test('another website cannot link the account of an attacker: only our own page may start that', async () => {
  const person = await seedPerson(app.db, { role: 'admin' })
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { referer: 'https://evil.example/' },
    {},
  ]) {
    const jar = createCookieJar()
    plantSession(app, jar, person.session)
    const answer = await jar.get(`${app.url}/sso/start?purpose=link&next=/me`, { headers: headers as never })
    expect([answer.headers.location, flowOf(jar)]).toEqual(['/me?problem=origin_mismatch', undefined])
  }
})

test('metadata of another issuer is rejected: nobody is sent there', async () => {
  const other = await startSignOn([anna])
  other.provider.rewriteJson = (path, body) =>
    path.includes('openid-configuration') ? { ...body, issuer: 'https://evil.example' } : body

  const answer = await createCookieJar().get(`${other.app.url}/sso/start`)

  expect(answer.headers.location).toBe('/sign-in?problem=provider_answer_invalid')
})

test('the address of the provider follows the policy of controllers', async () => {
  const hidden = await startOidcProvider({ clientId: 'x', clientSecret: 'x', redirectUrl: publicUrl, accounts: [anna] })
  const { port } = new URL(hidden.issuer)
  const other = await startSignOn([anna], { OIDC_ISSUER: hidden.issuer, PROTECTED_PORTS: port })

  const answer = await createCookieJar().get(`${other.app.url}/sso/start`)

  expect(answer.headers.location).toBe('/sign-in?problem=provider_unreachable')
  expect(hidden.requests).toEqual([])
})
