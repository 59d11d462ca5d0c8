import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'
import { type Client, clientOf } from '../test-client.ts'

const pathPrefix = '/v1/connector/consoles/AB12'

let simulator: RunningSimulator
let client: Client
let vouchers: string

beforeEach(async () => {
  simulator = await startSimulator({ pathPrefix })
  client = clientOf(simulator)
  vouchers = `/sites/${simulator.sites[0]?.id}/hotspot/vouchers`
})
afterEach(() => simulator.close())

const create = () => client.integration(vouchers, { method: 'POST', body: { name: 'Visit', timeLimitMinutes: 60 } })
const envelope = (httpStatusCode: number, code: string) => ({
  code,
  httpStatusCode,
  message: expect.any(String),
  traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
})

test('the Integration API is served below the prefix, and its own errors are those of a console', async () => {
  expect((await create()).status).toBe(201)
  expect((await client.integration(vouchers)).json()).toMatchObject({ totalCount: 1 })
  const wrongSite = await client.integration('/sites/default/hotspot/vouchers')
  expect(wrongSite.json()).toMatchObject({
    statusCode: 400,
    requestPath: '/integration/v1/sites/default/hotspot/vouchers',
  })
  const [first] = (await client.control('/requests')).json()
  expect(first.path).toBe(`${pathPrefix}/proxy/network/integration/v1${vouchers}`)
})

test.each([
  '/',
  '/proxy/network/integration/v1/info',
  '/v1/connector/consoles/AB123/proxy/network/integration/v1/info',
  `${pathPrefix}/proxy/network/api/self/sites`,
  `${pathPrefix}/api/auth/login`,
  '/api/auth/login',
])('%s gets 404 from the connector', async (path) => {
  const answer = await client.call(path, { headers: { 'x-api-key': simulator.apiKey } })

  expect([answer.status, answer.json()]).toEqual([404, envelope(404, 'NOT_FOUND')])
})

test('a missing or wrong key gets 401 in the envelope of the connector', async () => {
  for (const key of ['', 'wrong']) {
    const answer = await client.integration('/info', { headers: { 'x-api-key': key } })
    expect([answer.status, answer.json()]).toEqual([401, envelope(401, 'UNAUTHORIZED')])
  }
})

test.each([
  { kind: 'unauthorized', status: 401, code: 'UNAUTHORIZED', created: 0 },
  { kind: 'forbidden', status: 403, code: 'FORBIDDEN', created: 0 },
  { kind: 'too-many', status: 429, code: 'RATE_LIMIT', retryAfter: '1', created: 0 },
  { kind: 'unavailable', status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: '5', created: 0 },
  { kind: 'gateway-timeout', status: 504, code: 'GATEWAY_TIMEOUT', created: 1 },
])('the fault $kind answers $status in the envelope of the connector and creates $created', async (row) => {
  await client.control('/faults', { on: 'create', kind: row.kind })

  const answer = await create()
  expect([answer.status, answer.json()]).toEqual([row.status, envelope(row.status, row.code)])
  expect(answer.headers.get('retry-after')).toBe(row.retryAfter ?? null)
  expect(await client.made()).toHaveLength(row.created)
})

test('while the console boots, the connector answers 502 in its envelope', async () => {
  await client.behave({ booting: true })

  const answer = await create()
  expect([answer.status, answer.json()]).toEqual([502, envelope(502, 'BAD_GATEWAY')])
})
