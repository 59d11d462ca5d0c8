import { afterEach, expect, test } from 'vitest'
import { type RunningSimulator, type SimulatorOptions, startSimulator } from '../start-simulator.ts'
import { type Client, clientOf, sessionOf } from '../test-client.ts'

let simulator: RunningSimulator
afterEach(() => simulator.close())

async function signedIn(flavour: 'console' | 'self-hosted', options: SimulatorOptions = {}) {
  simulator = await startSimulator({ flavour, ...options })
  const session = sessionOf(simulator, flavour)
  await session.signIn()
  return { client: clientOf(simulator), session }
}
const sites = '/api/self/sites'
const expired = {
  console: { error: { code: 401, message: 'Unauthorized' } },
  'self-hosted': { meta: { rc: 'error', msg: 'api.err.LoginRequired' }, data: [] },
}
const csrfClaim = (cookie = '') =>
  JSON.parse(Buffer.from(cookie.split('.')[1] ?? '', 'base64url').toString()).csrfToken as string

test.each(['console', 'self-hosted'] as const)('a session on a %s ends after its time', async (flavour) => {
  const { client, session } = await signedIn(flavour, { sessionSeconds: 60 })

  await client.advance(55)
  expect((await session.get(sites)).status).toBe(200)
  await client.advance(5)
  const late = await session.get(sites)
  expect([late.status, late.json()]).toEqual([401, expired[flavour]])
  expect((await session.create()).status).toBe(401)
  expect(await client.made()).toEqual([])
})

test.each(['console', 'self-hosted'] as const)('signing out of a %s ends the session', async (flavour) => {
  const { session } = await signedIn(flavour)

  expect((await session.signOut()).status).toBe(200)
  expect((await session.get(sites)).status).toBe(401)
  expect((await session.signOut()).status).toBe(401)
})

test.each(['GET /logout', 'POST /logout', 'POST /api/logout'])(
  '%s signs out of a self-hosted application',
  async (logout) => {
    const { session } = await signedIn('self-hosted')
    const [method = '', path = ''] = logout.split(' ')

    expect((await session.get(path, { method })).status).toBe(200)
    expect((await session.get(sites)).status).toBe(401)
  },
)

test('a console can accept the API key on classic paths, without a CSRF token', async () => {
  const { client } = await signedIn('console')
  await client.behave({ apiKeyOnClassic: true })
  const status = async (key: string, body?: object) =>
    (
      await client.call(body ? '/proxy/network/api/s/default/cmd/hotspot' : `/proxy/network${sites}`, {
        method: body ? 'POST' : 'GET',
        body,
        headers: { 'x-api-key': key },
      })
    ).status

  expect(await status(simulator.apiKey)).toBe(200)
  expect(await status(simulator.apiKey, { cmd: 'create-voucher', expire: 60 })).toBe(200)
  expect(await status('wrong')).toBe(401)
})

test('a request without a session, with an invented one or with only the API key gets 401', async () => {
  const { client } = await signedIn('console')
  const status = async (headers: Record<string, string>) =>
    (await client.call(`/proxy/network${sites}`, { headers })).status

  expect(await status({})).toBe(401)
  expect(await status({ cookie: 'TOKEN=a.b.c' })).toBe(401)
  expect(await status({ 'x-api-key': simulator.apiKey })).toBe(401)
})

test('a test can end all sessions at once or after some requests', async () => {
  const { client, session } = await signedIn('console')

  await client.behave({ expireSessions: true })
  expect((await session.get(sites)).status).toBe(401)
  await session.signIn()
  await client.behave({ expireSessions: 2 })
  const statuses: number[] = []
  for (let n = 0; n < 3; n++) statuses.push((await session.get(sites)).status)
  expect(statuses).toEqual([200, 200, 401])
  await session.signIn()
  expect((await session.get(sites)).status).toBe(200)
})

test.each([
  { words: 'false', setBack: (client: Client) => client.behave({ expireSessions: false }) },
  { words: 'the default', setBack: (client: Client) => client.control('/behaviour', undefined, 'DELETE') },
])('sessions that were about to end stay open after the behaviour is set to $words', async ({ setBack }) => {
  const { client, session } = await signedIn('console')
  await client.behave({ expireSessions: 1 })
  await setBack(client)

  for (let n = 0; n < 3; n++) expect((await session.get(sites)).status).toBe(200)
})

test('a console requires the CSRF token for all methods but GET, a self-hosted application never does', async () => {
  const { client, session } = await signedIn('console')

  for (const token of ['', 'stale']) {
    const answer = await session.create({}, { headers: { 'x-csrf-token': token } })
    expect([answer.status, answer.text]).toEqual([403, '{"message":"Invalid CSRF Token"}'])
  }
  expect(await client.made()).toEqual([])
  expect((await session.get(sites, { headers: { 'x-csrf-token': '' } })).status).toBe(200)
  expect((await session.create()).status).toBe(200)
  await simulator.close()

  const free = await signedIn('self-hosted')
  expect((await free.session.create()).status).toBe(200)
})

test('a strict self-hosted application requires the CSRF token of its cookie', async () => {
  const { client, session } = await signedIn('self-hosted')
  await client.behave({ strictCsrf: true })
  const cookies = (await session.signIn()).headers.getSetCookie().join()
  const csrf = /csrf_token=([^;]+)/.exec(cookies)?.[1] ?? ''

  expect((await session.create()).status).toBe(403)
  expect((await session.create({}, { headers: { 'x-csrf-token': csrf } })).status).toBe(200)
  expect((await session.get(sites)).status).toBe(200)
})

test.each(['console', 'self-hosted'] as const)('a %s without CSRF tokens requires none', async (flavour) => {
  const { client, session } = await signedIn(flavour)
  await client.behave({ csrfIn: 'nowhere', strictCsrf: true })

  const { headers } = await session.signIn()
  const cookies = headers.getSetCookie()
  expect([headers.get('x-csrf-token'), cookies.length]).toEqual([null, 1])
  if (flavour === 'console') expect(csrfClaim(cookies[0])).toBeUndefined()
  expect((await session.create()).status).toBe(200)
})

test('a rotation sends a new CSRF token in the header and in a new cookie, and the old token becomes invalid', async () => {
  const { client, session } = await signedIn('console')
  await client.behave({ rotateCsrf: 1 })

  const { headers } = await session.get(sites)
  const csrf = headers.get('x-updated-csrf-token') ?? ''
  const [cookie = ''] = headers.getSetCookie()
  expect(csrfClaim(cookie)).toBe(csrf)
  expect((await session.create()).status).toBe(403)
  expect((await session.create({}, { headers: { 'x-csrf-token': csrf } })).status).toBe(200)
  const fresh = { 'x-csrf-token': csrf, cookie: cookie.split(';')[0] ?? '' }
  const last = await session.create({}, { headers: fresh })
  expect([last.status, last.headers.get('x-updated-csrf-token')]).toEqual([200, null])
})

test('the new CSRF token can be sent in the header only or in the cookie only', async () => {
  const { client, session } = await signedIn('console')

  await client.behave({ rotateCsrf: true, csrfIn: 'header' })
  const first = await session.get(sites)
  expect(first.headers.getSetCookie()).toEqual([])
  const second = await session.get(sites)
  expect(second.headers.get('x-updated-csrf-token')).not.toBe(first.headers.get('x-updated-csrf-token'))
  await client.behave({ csrfIn: 'cookie' })
  const third = await session.get(sites)
  expect(third.headers.get('x-updated-csrf-token')).toBeNull()
  const csrf = csrfClaim(third.headers.getSetCookie()[0])
  expect((await session.create({}, { headers: { 'x-csrf-token': csrf } })).status).toBe(200)
  expect((await session.signIn()).headers.get('x-csrf-token')).toBeNull()
})

test('a rotation does not reopen a session that has ended', async () => {
  const { client, session } = await signedIn('console')
  await client.behave({ rotateCsrf: true })

  const out = await session.signOut()
  expect(out.headers.getSetCookie()).toEqual([expect.stringMatching(/^TOKEN=;/)])
})

test('a console can answer a lost session and a stale CSRF token with the 403 of its gateway', async () => {
  const { client, session } = await signedIn('console')
  await client.behave({ gateway403: true })
  const forbidden = [403, '{"error":{"code":403,"message":"Forbidden"}}']

  const stale = await session.create({}, { headers: { 'x-csrf-token': 'stale' } })
  expect([stale.status, stale.text]).toEqual(forbidden)
  await client.behave({ expireSessions: true })
  const lost = await session.get(sites)
  expect([lost.status, lost.text]).toEqual(forbidden)
  await session.signIn()
  expect((await session.create()).status).toBe(200)
})
