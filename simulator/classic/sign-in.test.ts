import { afterEach, expect, test } from 'vitest'
import { type RunningSimulator, type SimulatorOptions, startSimulator } from '../start-simulator.ts'
import { clientOf, sessionOf } from '../test-client.ts'

let simulator: RunningSimulator
afterEach(() => simulator.close())

async function started(flavour: 'console' | 'self-hosted', options: SimulatorOptions = {}) {
  simulator = await startSimulator({ flavour, password: 'right "secret"', ...options })
  return { client: clientOf(simulator), session: sessionOf(simulator, flavour) }
}
const wrong = { username: 'api', password: 'wrong' }

test('a console sends a partitioned cookie whose token contains the CSRF token', async () => {
  const { session } = await started('console', { sessionSeconds: 600 })

  const answer = await session.signIn()
  expect([answer.status, answer.json().username]).toEqual([200, 'api'])
  const [cookie = ''] = answer.headers.getSetCookie()
  expect(cookie).toMatch(/^TOKEN=[\w-]+\.[\w-]+\.[\w-]+; path=\/; samesite=none; secure; httponly; Partitioned$/)
  const claims = JSON.parse(Buffer.from(cookie.split('.')[1] ?? '', 'base64url').toString())
  expect(Object.keys(claims).sort()).toEqual(['csrfToken', 'exp', 'iat', 'jti', 'passwordRevision', 'userId'])
  expect(claims.exp - claims.iat).toBe(600)
  expect(claims.csrfToken).toBe(answer.headers.get('x-csrf-token'))
})

test('a self-hosted application sends two cookies and no data', async () => {
  const { session } = await started('self-hosted')

  const answer = await session.signIn()
  expect([answer.status, answer.json()]).toEqual([200, { meta: { rc: 'ok' }, data: [] }])
  const names = answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0])
  expect(names).toEqual(['unifises', 'csrf_token'])
})

test('wrong credentials get 403 on a console, with another code on old firmware', async () => {
  const { client, session } = await started('console')

  for (const body of [wrong, { ...wrong, username: 'other', password: 'right "secret"' }, {}, []]) {
    const answer = await session.signIn(body)
    expect([answer.status, answer.json().code]).toEqual([403, 'AUTHENTICATION_FAILED_INVALID_CREDENTIALS'])
    expect(answer.headers.getSetCookie()).toEqual([])
  }
  await client.behave({ oldController: true })
  expect((await session.signIn(wrong)).json()).toEqual({
    code: 'AUTHENTICATION_FAILED',
    message: 'Authentication failed',
  })
})

test('wrong credentials get 400 on a self-hosted application', async () => {
  const { session } = await started('self-hosted')

  const answer = await session.signIn(wrong)
  expect([answer.status, answer.json()]).toEqual([400, { meta: { rc: 'error', msg: 'api.err.Invalid' }, data: [] }])
})

test('the sixth sign-in of a minute gets 429, whether or not the first five succeeded', async () => {
  const { client, session } = await started('console')
  await client.control('/clock', { frozen: true })

  for (const body of [wrong, undefined, undefined, wrong, undefined]) await session.signIn(body)
  const sixth = await session.signIn()
  expect(sixth.status).toBe(429)
  expect(sixth.text).toBe(
    '{"code":"AUTHENTICATION_FAILED_LIMIT_REACHED","message":"You\'ve reached the login attempt limit","level":"debug"}',
  )
  expect(sixth.headers.get('retry-after')).toBeNull()
  await client.advance(59)
  expect((await session.signIn()).status).toBe(429)
  await client.advance(1)
  expect((await session.signIn()).status).toBe(200)
})

test('the limit of sign-ins can be changed or switched off', async () => {
  const { session } = await started('self-hosted', { loginLimit: 1 })
  expect((await session.signIn()).status).toBe(200)
  expect((await session.signIn()).status).toBe(429)
  await simulator.close()

  const free = await started('console', { loginLimit: 0 })
  for (let n = 0; n < 8; n++) expect((await free.session.signIn()).status).toBe(200)
})

test('a console asks for a second factor with 499 and accepts it together with the cookie that it named', async () => {
  const { client, session } = await started('console')
  await client.behave({ mfa: true })
  const { username, password } = simulator

  expect((await session.signIn(wrong)).status).toBe(403)
  const first = await session.signIn()
  expect([first.status, first.json()]).toEqual([
    499,
    {
      code: 'MFA_AUTH_REQUIRED',
      message: 'MFA token required to authenticate to SSO',
      data: { required: '2fa', mfaCookie: expect.stringMatching(/^\w+=\w+$/), authenticators: [expect.anything()] },
    },
  ])
  const second = { username, password, token: '123456' }
  expect((await session.signIn(second)).status).toBe(499)
  expect((await session.signIn(second, { cookie: first.json().data.mfaCookie })).status).toBe(200)
})

test('a self-hosted application asks for a second factor with its own error, and accepts it without the cookie', async () => {
  const { client, session } = await started('self-hosted')
  await client.behave({ mfa: true })
  const { username, password } = simulator

  const first = (await session.signIn()).json()
  expect(first.meta).toEqual({ rc: 'error', msg: 'api.err.Ubic2faTokenRequired' })
  const second = { username, password, ubic_2fa_token: '123456' }
  expect((await session.signIn(second, { cookie: first.data[0].mfa_cookie })).status).toBe(200)
  expect((await session.signIn(second)).status).toBe(200)
  expect((await session.signIn({ ...second, ubic_2fa_token: '654321' })).status).toBe(400)
})

test('the log contains every sign-in and no password', async () => {
  const { client, session } = await started('console', { loginLimit: 3 })
  await session.signIn()
  await session.signIn({ username: 'mallory', password: 'guessed' })
  await client.behave({ mfa: true })
  await session.signIn()
  await session.signIn()

  const at = expect.stringMatching(/^\d{4}-.*Z$/)
  expect((await client.control('/sign-ins')).json()).toEqual([
    { at, username: 'api', result: 'ok' },
    { at, username: 'mallory', result: 'wrong-credentials' },
    { at, username: 'api', result: 'mfa-required' },
    { at, username: 'api', result: 'limited' },
  ])
  const log = await client.control('/requests')
  expect(log.json()[0]).toMatchObject({ status: 200, body: { username: 'api', password: '[password]' } })
  expect(log.text).not.toMatch(/secret|guessed/)
  expect((await client.control('/sign-ins', undefined, 'DELETE')).json()).toEqual({ deleted: 4 })
  expect((await client.control('/sign-ins')).json()).toEqual([])
})

test('a hotspot operator signs in with the name of its site and sees no other site', async () => {
  const sites = ['default', 'branch'].map((internalReference) => ({ internalReference, name: internalReference }))
  const { session } = await started('self-hosted', { sites, hotspotSite: 'branch' })
  const { username, password } = simulator
  const operator = { username, password, for_hotspot: true, site_name: 'branch' }

  for (const body of [undefined, { ...operator, site_name: 'default' }, { ...operator, for_hotspot: false }])
    expect((await session.signIn(body)).status).toBe(400)
  expect((await session.signIn({ ...operator, for_hotspot: 'true' })).status).toBe(200)
  expect((await session.get('/api/self/sites')).json().data).toMatchObject([{ name: 'branch', role: 'hotspot' }])
  expect((await session.get('/api/s/branch/stat/voucher')).status).toBe(200)
  const other = await session.get('/api/s/default/stat/voucher')
  expect([other.status, other.json().meta.msg]).toEqual([401, 'api.err.NoSiteContext'])
})

test('an administrator cannot sign in as a hotspot operator', async () => {
  const { session } = await started('self-hosted')
  const { username, password } = simulator

  expect((await session.signIn({ username, password, for_hotspot: true, site_name: 'default' })).status).toBe(400)
})
