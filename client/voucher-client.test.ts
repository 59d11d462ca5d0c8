import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { listen } from '#test/network/sockets.ts'
import { createVoucherClient, listAll, VoucherApiError, waitUntilDone } from './voucher-client.ts'

type Received = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string; at: number }
type Step = (response: ServerResponse, request: IncomingMessage) => void

/** A server that answers with these steps in turn. The last step repeats. */
let steps: Step[]
let received: Received[]
beforeEach(() => {
  received = []
})

const server = createServer(async (request, response) => {
  const { method, url, headers } = request
  response.setHeader('connection', 'close') // a kept connection that just closed would count as an attempt
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ method, url, headers, body, at: performance.now() })
  const step = steps.length > 1 ? steps.shift() : steps[0]
  step?.(response, request)
})

const url = `http://127.0.0.1:${await listen(server)}/api/v2`
const api = createVoucherClient({ url, key: 'the-key' })
const creation = { site_id: 1, name: 'Room 12' }

function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function problem(status: number, error: string, headers: Record<string, string> = {}): Step {
  return json(status, { error, message: `It is ${error}`, request_id: 'r-1' }, headers)
}

const made = json(201, { id: '1-a' })
const reset: Step = (_response, request) => request.socket.destroy()
const cutShort: Step = (response) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' }).write('{"id"')
  setTimeout(() => response.socket?.destroy(), 50)
}
const silent: Step = () => undefined

const keys = () => received.map(({ headers }) => headers['idempotency-key'])
const failureOf = (promise: Promise<unknown>): Promise<VoucherApiError> =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  )

test('a request has the method, path, query, body and headers of its operation', async () => {
  steps = [json(200, {})]

  await api.listVouchers({ site_id: [1, 2], status: ['valid'], text: 'a&b' })
  await api.updateVoucher('1-a/b', { valid_until: null })
  await api.getVoucherOutcome('checkin-4711')
  await api.getMe()

  const shown = received.map(({ method, url: path, body }) => [method, path, body])
  expect(shown).toEqual([
    ['GET', '/api/v2/vouchers?site_id=1&site_id=2&status=valid&text=a%26b', ''],
    ['PATCH', '/api/v2/vouchers/1-a%2Fb', '{"valid_until":null}'],
    ['GET', '/api/v2/vouchers/outcome', ''],
    ['GET', '/api/v2/me', ''],
  ])
  expect(received.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill('Bearer the-key'))
  expect(keys()).toEqual([undefined, expect.stringMatching(/^[0-9a-f-]{36}$/), 'checkin-4711', undefined])
})

test('a file is sent with its type, and images and archives are answered as Blobs', async () => {
  const bytes = Buffer.from([0x89, 0x50, 0xff, 0x00])
  steps = [
    (response) => response.writeHead(204).end(),
    (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
    (response) => response.writeHead(200, { 'content-type': 'application/zip' }).end(bytes),
  ]

  const sent = await api.updateLogo(7, new Blob(['GIF'], { type: 'image/jpeg' }))
  const logo = await api.getLogo(7)
  const archive = await api.getLogo(7)

  expect(sent).toBeUndefined()
  expect(received[0]).toMatchObject({ method: 'PUT', url: '/api/v2/sites/7/logo', body: 'GIF' })
  expect(received[0]?.headers['content-type']).toBe('image/jpeg')
  expect([logo.type, Buffer.from(await logo.arrayBuffer())]).toEqual(['image/png', bytes])
  expect([archive.type, Buffer.from(await archive.arrayBuffer())]).toEqual(['application/zip', bytes])
})

test('each call has a new Idempotency-Key, unless the caller passes one', async () => {
  steps = [made]

  await api.createVoucher(creation)
  await api.createVoucher(creation)
  await api.createVoucher(creation, { idempotencyKey: 'checkin-4711' })

  const [first, second, third] = keys()
  expect(first).toMatch(/^[0-9a-f-]{36}$/)
  expect(second).not.toBe(first)
  expect(third).toBe('checkin-4711')
})

test.each([
  ['the connection is reset', reset],
  ['the answer is cut short', cutShort],
  ['the service is unavailable', problem(503, 'unavailable')],
  ['the outcome is unknown', problem(500, 'controller_timeout', { 'voucher-outcome': 'unknown' })],
  ['the first request is still running', problem(409, 'idempotency_in_progress', { 'retry-after': '0' })],
  ['a limit is reached', problem(429, 'rate_limited', { 'retry-after': '0' })],
  ['a proxy answers', (response: ServerResponse) => response.writeHead(502).end('<html>')],
])('a creation is repeated with the same Idempotency-Key when %s', async (_, step) => {
  steps = [step, step, made]

  expect(await api.createVoucher(creation)).toEqual({ id: '1-a' })
  expect(received).toHaveLength(3)
  expect(new Set(keys()).size).toBe(1)
  expect(new Set(received.map(({ body }) => body)).size).toBe(1)
})

test('an attempt that takes too long is repeated', async () => {
  steps = [silent, made]

  expect(await api.createVoucher(creation, { timeoutMs: 200 })).toEqual({ id: '1-a' })
  expect(received).toHaveLength(2)
})

test.each([
  ['seconds', () => '1'],
  ['a date', () => new Date(Date.now() + 2_000).toUTCString()],
])('the client waits as long as a Retry-After of %s asks', async (_, retryAfter) => {
  steps = [problem(429, 'rate_limited', { 'retry-after': retryAfter() }), made]

  await api.createVoucher(creation)

  const [first, second] = received.map(({ at }) => at) as [number, number]
  expect(second - first).toBeGreaterThan(900) // a date has whole seconds
})

test('a call fails at once if Retry-After is longer than maxWaitMs', async () => {
  steps = [problem(429, 'rate_limited', { 'retry-after': '3600' })]

  const error = await failureOf(api.createVoucher(creation))

  expect([error.error, error.retry_after, received.length]).toEqual(['rate_limited', 3600, 1])
})

test.each([
  [400, 'invalid_request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'valid_until_too_late'],
  [422, 'idempotency_mismatch'],
  [500, 'controller_refused'],
  [503, 'search_too_slow'],
])('%i %s is not repeated', async (status, error) => {
  steps = [problem(status, error, { 'retry-after': '0' })]

  const failure = await failureOf(api.createVoucher(creation))

  expect(failure).toBeInstanceOf(VoucherApiError)
  expect([failure.status, failure.error, failure.message, failure.request_id]).toEqual([
    status,
    error,
    `It is ${error}`,
    'r-1',
  ])
  expect(received).toHaveLength(1)
})

test('a POST or PATCH without an Idempotency-Key is repeated only if nothing was done', async () => {
  steps = [problem(503, 'unavailable', { 'retry-after': '0' })]
  for (const call of [() => api.retryBatch('1-a'), () => api.updateSite(1, { name: 'x' })])
    expect((await failureOf(call())).error).toBe('unavailable')
  steps = [reset]
  expect((await failureOf(api.cancelBatch('1-a'))).error).toBe('no_answer')
  expect(received).toHaveLength(3)

  steps = [problem(429, 'rate_limited', { 'retry-after': '0' }), json(202, { id: '1-a' })]
  expect(await api.retryBatch('1-a')).toEqual({ id: '1-a' })
})

test('a GET and a DELETE are repeated without an Idempotency-Key', async () => {
  const wait = { 'retry-after': '0' }
  steps = [problem(503, 'unavailable', wait), json(200, { id: 'a' }), problem(503, 'unavailable', wait), json(202, {})]

  expect(await api.getBatch('a')).toEqual({ id: 'a' })
  await api.revokeVoucher('a')
  expect(received.map(({ method }) => method)).toEqual(['GET', 'GET', 'DELETE', 'DELETE'])
})

test('the client gives up after as many attempts as the caller allows', async () => {
  steps = [problem(500, 'controller_timeout', { 'retry-after': '0', 'voucher-outcome': 'unknown' })]

  const error = await failureOf(api.createVoucher(creation, { maxAttempts: 4 }))

  expect([error.error, error.voucher_outcome, received.length]).toEqual(['controller_timeout', 'unknown', 4])
  expect((await failureOf(api.createVoucher(creation))).status).toBe(500)
  expect(received).toHaveLength(14)
})

test('the client waits for an outcome that the service is finding out, however many attempts that takes', async () => {
  const findingOut = problem(409, 'idempotency_in_progress', { 'retry-after': '0' })
  steps = [...Array.from({ length: 25 }, () => findingOut), made]

  expect(await api.createVoucher(creation)).toEqual({ id: '1-a' })
  expect(received).toHaveLength(26)

  steps = [findingOut]
  const error = await failureOf(api.createVoucher(creation, { outcomeWithinMs: 50 }))
  expect(error.error).toBe('idempotency_in_progress')
})

test('a service that cannot be reached is an error without a status', async () => {
  const nobody = createVoucherClient({ url: 'http://127.0.0.1:1', key: 'k', maxAttempts: 2 })

  const error = await failureOf(nobody.getMe())

  expect([error.status, error.error, error.request_id, error.errors]).toEqual([0, 'no_answer', null, []])
  expect(error.cause).toBeInstanceOf(Error)
})

test('an error lists the invalid fields', async () => {
  const errors = [{ field: 'name', code: 'required', message: 'name is required', allowed: null }]
  steps = [json(400, { error: 'invalid_request', message: 'm', request_id: 'r', errors })]

  expect((await failureOf(api.createVoucher(creation))).errors).toEqual(errors)
})

test.each([
  ['a redirect', (response: ServerResponse) => response.writeHead(302, { location: '/api/v2/me' }).end()],
  ['a page', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
])('%s is not an answer of the service', async (_, step) => {
  steps = [step]

  expect((await failureOf(api.createVoucher(creation))).error).toBe('unexpected_answer')
  expect(received).toHaveLength(1)
})

test('a signal ends a request, a pause and a wait', async () => {
  const reason = new Error('the guest left')
  const signalAfter = (ms: number) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), ms)
    return controller.signal
  }

  steps = [silent]
  await expect(api.getMe({ signal: signalAfter(100) })).rejects.toBe(reason)
  steps = [problem(429, 'rate_limited', { 'retry-after': '60' })]
  await expect(api.getMe({ signal: signalAfter(100) })).rejects.toBe(reason)
  steps = [json(200, { state: 'running' })]
  const signal = signalAfter(100)
  await expect(waitUntilDone(() => api.getBatch('a'), { signal })).rejects.toBe(reason)
})

test('a 204 is undefined and CSV is text', async () => {
  steps = [
    (response) => response.writeHead(204).end(),
    (response) => response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end('a,b'),
  ]

  expect(await api.deleteWebhook('a')).toBeUndefined()
  expect(await api.exportVouchers()).toBe('a,b')
})

test('waitUntilDone reads until the state is final', async () => {
  steps = [json(200, { state: 'running' }), json(200, { state: 'running' }), json(200, { state: 'cancelled' })]

  expect(await waitUntilDone(() => api.getBatch('a'))).toEqual({ state: 'cancelled' })
  expect(received).toHaveLength(3)
})

test('listAll reads every page of a list', async () => {
  steps = [
    json(200, { vouchers: [{ id: 'a' }, { id: 'b' }], next_cursor: 'c1' }),
    json(200, { vouchers: [], next_cursor: 'c2' }),
    json(200, { vouchers: [{ id: 'c' }], next_cursor: null }),
  ]

  const ids: string[] = []
  for await (const { id } of listAll((page) => api.listVouchers({ status: ['valid'], ...page }))) ids.push(id)

  expect(ids).toEqual(['a', 'b', 'c'])
  expect(received.map(({ url: path }) => path?.split('?')[1])).toEqual([
    'status=valid',
    'status=valid&cursor=c1',
    'status=valid&cursor=c2',
  ])
})
