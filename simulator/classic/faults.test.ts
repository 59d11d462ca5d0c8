import { afterEach, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'
import { clientOf, sessionOf } from '../test-client.ts'

let simulator: RunningSimulator
afterEach(() => simulator.close())

async function signedIn(flavour: 'console' | 'self-hosted' = 'console') {
  simulator = await startSimulator({ flavour })
  const client = clientOf(simulator)
  const session = sessionOf(simulator, flavour)
  await session.signIn()
  await client.control('/requests', undefined, 'DELETE')
  const fault = (on: string, kind: string, more: object = {}) => client.control('/faults', { on, kind, ...more })
  return { client, session, fault }
}

test.each([
  { kind: 'refuse', status: 400, msg: 'api.err.InvalidArgs', created: 0 },
  { kind: 'forbidden', status: 403, msg: 'api.err.NoPermission', created: 0 },
  { kind: 'not-found', status: 404, msg: 'api.err.NotFound', created: 0 },
  { kind: 'too-many', status: 429, msg: 'api.err.TooManyRequests', created: 0 },
  { kind: 'server-error', status: 500, msg: 'api.err.ServerError', created: 0 },
  { kind: 'created-then-error', status: 500, msg: 'api.err.ServerError', created: 1 },
])('the fault $kind answers $status $msg and creates $created', async ({ kind, status, msg, created }) => {
  const { client, session, fault } = await signedIn()
  await fault('create', kind)

  const answer = await session.create()
  expect([answer.status, answer.json()]).toEqual([status, { meta: { rc: 'error', msg }, data: [] }])
  expect(await client.made()).toHaveLength(created)
  expect((await client.control('/requests')).json()).toMatchObject([{ status }])
  expect((await session.create()).status).toBe(200)
})

test.each([
  { kind: 'gateway-html', status: 502, created: 0, text: /<html>/ },
  { kind: 'html-ok', status: 200, created: 0, text: /<html>/ },
  { kind: 'gateway-timeout', status: 504, created: 1, text: /<html>/ },
  { kind: 'unavailable', status: 503, created: 0, text: /<html>/ },
  { kind: 'empty', status: 200, created: 0, text: /^\{"meta":\{"rc":"ok"\},"data":\[\]\}$/ },
  { kind: 'no-code', status: 200, created: 1, text: /"data":\[\{\}\]/ },
  { kind: 'bad-code', status: 200, created: 1, text: /"data":\[\{"create_time":"<script>"\}\]/ },
  { kind: 'truncated', status: 200, created: 1, text: /^\{"meta":.{1,30}$/ },
  { kind: 'slow', status: 200, created: 1, text: /"create_time":\d+/ },
  { kind: 'huge', status: 200, created: 0, text: /^\{"meta":\{"rc":"ok"\},"data":\[\{\},/ },
  { kind: 'extra-fields', status: 200, created: 1, text: /"create_time":\d+,"unknownText"/ },
  { kind: 'deep', status: 200, created: 0, text: /^\{"meta":\{"rc":"ok"\},"data":\[{100000}/ },
])('the fault $kind answers $status and creates $created', async ({ kind, status, created, text }) => {
  const { client, session, fault } = await signedIn('self-hosted')
  await fault('create', kind, kind === 'slow' ? { delayMs: 100 } : {})

  const answer = await session.create()
  expect(answer.status).toBe(status)
  expect(text.test(answer.text)).toBe(true)
  expect(await client.made()).toHaveLength(created)
})

test.each([
  { kind: 'reset', created: 0 },
  { kind: 'created-then-reset', created: 1 },
  { kind: 'hang-before', created: 0 },
  { kind: 'hang-after', created: 1 },
])('the fault $kind never answers and creates $created', async ({ kind, created }) => {
  const { client, session, fault } = await signedIn()
  await fault('create', kind)

  const hangs = kind.startsWith('hang')
  const attempt = session.create({}, { timeoutMs: hangs ? 200 : 5000 })
  await expect(attempt).rejects.toThrow(hangs ? /timeout/ : 'fetch failed')
  expect(await client.made()).toHaveLength(created)
})

test.each([
  { kind: 'gateway-timeout', code: 504, message: 'Gateway Timeout', retryAfter: null, created: 1 },
  { kind: 'unavailable', code: 503, message: 'Service Unavailable', retryAfter: '5', created: 0 },
])('the fault $kind comes from the gateway of a console, with $code', async ({ kind, code, message, ...expected }) => {
  const { client, session, fault } = await signedIn()
  await fault('create', kind)

  const answer = await session.create()
  expect([answer.status, answer.json()]).toEqual([code, { error: { code, message } }])
  expect(answer.headers.get('retry-after')).toBe(expected.retryAfter)
  expect(await client.made()).toHaveLength(expected.created)
})

test.each(['console', 'self-hosted'] as const)('the fault unauthorized ends the session on a %s', async (flavour) => {
  const { client, session, fault } = await signedIn(flavour)
  await fault('create', 'unauthorized')

  expect((await session.create()).status).toBe(401)
  expect((await session.create()).status).toBe(401)
  await session.signIn()
  expect((await session.create()).status).toBe(200)
  expect(await client.made()).toHaveLength(1)
})

test('a fault on list applies to both ways of listing, and a fault on delete to deletions', async () => {
  const { session, fault } = await signedIn()
  await session.create()
  const [voucher] = await session.list()
  await fault('list', 'no-code', { times: 2 })
  await fault('delete', 'created-then-error')

  expect((await session.list())[0]).not.toHaveProperty('code')
  expect((await session.listSecond(voucher.create_time))[0]).not.toHaveProperty('code')
  expect((await session.remove(voucher._id)).status).toBe(500)
  expect(await session.list()).toEqual([])
})

test('a fault waits for a request with a session and a valid CSRF token', async () => {
  const { client, session, fault } = await signedIn()
  await fault('any', 'server-error')

  expect((await client.call('/proxy/network/api/self/sites')).status).toBe(401)
  expect((await session.create({}, { headers: { 'x-csrf-token': '' } })).status).toBe(403)
  expect((await session.get('/api/self/sites')).status).toBe(500)
  await fault('any', 'gateway-html', { times: 2 })
  expect((await client.call('/')).status).toBe(502)
  expect((await session.signIn()).status).toBe(502)
})

test.each([
  { flavour: 'console', kind: 'refuse', status: 403 },
  { flavour: 'self-hosted', kind: 'refuse', status: 400 },
  { flavour: 'console', kind: 'too-many', status: 429 },
  { flavour: 'console', kind: 'unauthorized', status: 401 },
  { flavour: 'console', kind: 'empty', status: 200 },
  { flavour: 'self-hosted', kind: 'html-ok', status: 200 },
] as const)('the fault $kind on a sign-in to a $flavour answers $status and signs nobody in', async (row) => {
  const { client, session, fault } = await signedIn(row.flavour)
  await fault('login', row.kind)

  expect((await session.get('/api/self/sites')).status).toBe(200)
  const answer = await session.signIn()
  expect(answer.status).toBe(row.status)
  expect(answer.headers.getSetCookie()).toEqual([])
  if (row.kind === 'too-many') expect(answer.json().code).toBe('AUTHENTICATION_FAILED_LIMIT_REACHED')
  expect((await client.control('/sign-ins')).json()).toHaveLength(1)
  expect((await session.signIn()).status).toBe(200)
})
