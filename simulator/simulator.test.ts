import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from './server.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'
const visit = { name: 'Visit 7F3K', timeLimitMinutes: 480, authorizedGuestLimit: 1 }

let simulator: RunningSimulator
let vouchers: string

beforeEach(async () => {
  const sites = ['default', 'branch'].map((internalReference) => ({
    internalReference,
    name: `Site ${internalReference}`,
  }))
  simulator = await startSimulator({ apiKey: 'secret-key', sites })
  vouchers = `/sites/${simulator.sites[0]?.id}/hotspot/vouchers`
})
afterEach(() => simulator.close())

type Call = { method?: string; body?: unknown; headers?: Record<string, string>; timeoutMs?: number }

async function call(path: string, { method = 'GET', body, headers, timeoutMs = 5000 }: Call = {}) {
  const response = await fetch(simulator.url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    signal: AbortSignal.timeout(timeoutMs),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = (): any => JSON.parse(text)
  return { status: response.status, headers: response.headers, text, json }
}

const api = (path: string, options: Call = {}) =>
  call(`/proxy/network/integration/v1${path}`, {
    ...options,
    headers: { 'x-api-key': 'secret-key', ...options.headers },
  })
const create = (body: unknown = visit, options: Call = {}) => api(vouchers, { ...options, method: 'POST', body })
const control = (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') =>
  call(`/control${path}`, { method, body })
const redeem = (code: string, mac: string) => control('/redeem', { code, mac })
const advance = (advanceSeconds: number) => control('/clock', { advanceSeconds })
const made = async (): Promise<any[]> => (await control('/vouchers')).json()
const found = async (filter: string) => {
  const answer = await api(`${vouchers}?filter=${encodeURIComponent(filter)}`)
  return answer.status === 200 ? answer.json().data.map((voucher: { name: string }) => voucher.name) : answer.status
}

test('a request without the right key gets 401 in the envelope of the gateway', async () => {
  const expected = { error: { code: 401, message: 'Unauthorized' } }

  expect((await call('/proxy/network/integration/v1/info')).json()).toEqual(expected)
  const wrong = await api('/nowhere', { headers: { 'x-api-key': 'wrong' } })
  expect([wrong.status, wrong.json()]).toEqual([401, expected])
})

test('info and sites are shown, the limit of sites is lowered to 200', async () => {
  expect((await api('/info')).json()).toEqual({ applicationVersion: expect.any(String) })
  const page = { offset: 0, count: 2, totalCount: 2, data: simulator.sites }
  expect((await api('/sites')).json()).toEqual({ ...page, limit: 25 })
  expect((await api('/sites?limit=1000')).json()).toEqual({ ...page, limit: 200 })
  const branch = (await api(`/sites?filter=${encodeURIComponent("internalReference.eq('branch')")}`)).json()
  expect(branch).toMatchObject({ count: 1, totalCount: 1, data: [simulator.sites[1]] })
})

test('a created voucher has the documented members and no others', async () => {
  const answer = await create()

  expect(answer.status).toBe(201)
  const [voucher] = answer.json().vouchers
  expect(voucher).toEqual({
    ...visit,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    code: expect.stringMatching(/^\d{10}$/),
    authorizedGuestCount: 0,
    expired: false,
  })
  expect((await api(`${vouchers}/${voucher.id}`)).json()).toEqual(voucher)
})

test.each([
  {},
  [],
  { ...visit, name: '' },
  { ...visit, name: null },
  { name: 'x' },
  { ...visit, timeLimitMinutes: 0 },
  { ...visit, timeLimitMinutes: '480' },
  { ...visit, timeLimitMinutes: 1_000_001 },
  { ...visit, timeLimitMinutes: 1.5 },
  { ...visit, count: 0 },
  { ...visit, count: 1001 },
  { ...visit, authorizedGuestLimit: 0 },
  { ...visit, authorizedGuestLimit: null },
  { ...visit, dataUsageLimitMBytes: 1_048_577 },
  { ...visit, rxRateLimitKbps: 1 },
  { ...visit, txRateLimitKbps: 100_001 },
  { ...visit, quota: 1 },
  '{"name":',
])('the body %j gets 400 and creates nothing', async (body) => {
  const answer = await create(body)

  expect(answer.json()).toMatchObject({ statusCode: 400, statusName: 'BAD_REQUEST', code: 'api.request.error' })
  expect(await made()).toEqual([])
})

test('what cannot be found or is asked wrongly gets the envelope of the application', async () => {
  const wrongSite = await api('/sites/default/hotspot/vouchers')
  expect(wrongSite.json()).toEqual({
    statusCode: 400,
    statusName: 'BAD_REQUEST',
    code: 'api.request.argument-type-mismatch',
    message: "'default' is not a valid 'siteId' value",
    timestamp: expect.any(String),
    requestPath: '/integration/v1/sites/default/hotspot/vouchers',
    requestId: expect.any(String),
  })
  const status = async (path: string, options?: Call) => (await api(path, options)).status
  expect(await status(`/sites/${unknownId}/hotspot/vouchers`)).toBe(404)
  expect(await status(`${vouchers}/${unknownId}`)).toBe(404)
  expect(await status(`${vouchers}/nope`)).toBe(400)
  expect(await status(`${vouchers}?limit=many`)).toBe(400)
  expect(await status(`${vouchers}?offset=-1`)).toBe(400)
  expect(await status(vouchers, { method: 'DELETE' })).toBe(400)
  expect(await status(vouchers, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } })).toBe(415)
  expect((await api('/nowhere')).json()).toMatchObject({ statusCode: 404, code: 'api.request.error' })
  const put = await api(vouchers, { method: 'PUT', body: {} })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
})

test('pages follow each other and the limit is lowered to 1000', async () => {
  await create({ ...visit, count: 1000 })
  await create({ ...visit, count: 5 })

  const first = (await api(`${vouchers}?limit=10000`)).json()
  const second = (await api(`${vouchers}?limit=10000&offset=1000`)).json()
  expect(first).toMatchObject({ offset: 0, limit: 1000, count: 1000, totalCount: 1005 })
  expect(second).toMatchObject({ offset: 1000, limit: 1000, count: 5, totalCount: 1005 })
  expect(new Set([...first.data, ...second.data].map(({ code }) => code)).size).toBe(1005)
  expect((await api(vouchers)).json()).toMatchObject({ limit: 100, count: 100 })
  expect((await api(`${vouchers}?limit=0`)).json()).toMatchObject({ limit: 0, count: 0, totalCount: 1005, data: [] })
})

test('filters choose as documented', async () => {
  const [plain] = (await create({ name: "O'Neil, (1)", timeLimitMinutes: 10 })).json().vouchers
  await create({ name: 'Visit 1', timeLimitMinutes: 20, authorizedGuestLimit: 2 })
  await create({ name: 'Visit*', timeLimitMinutes: 30, authorizedGuestLimit: 5 })

  expect(await found(`id.eq(${plain.id})`)).toEqual(["O'Neil, (1)"])
  expect(await found(`or(id.eq(${plain.id}), name.eq('Visit 1'))`)).toEqual(["O'Neil, (1)", 'Visit 1'])
  expect(await found(`id.notIn(${plain.id},${unknownId})`)).toEqual(['Visit 1', 'Visit*'])
  expect(await found(`code.in('${plain.code}','x')`)).toEqual(["O'Neil, (1)"])
  expect(await found("name.eq('O''Neil, (1)')")).toEqual(["O'Neil, (1)"])
  expect(await found("name.like('Visit*')")).toEqual(['Visit 1', 'Visit*'])
  expect(await found("name.like('Visit..')")).toEqual(['Visit 1'])
  expect(await found("name.like('Visit\\*')")).toEqual(['Visit*'])
  expect(await found("not(name.ne('Visit 1'))")).toEqual(['Visit 1'])
  expect(await found('authorizedGuestLimit.isNull()')).toEqual(["O'Neil, (1)"])
  expect(await found('and(authorizedGuestLimit.isNotNull(),timeLimitMinutes.ge(30))')).toEqual(['Visit*'])
  expect(await found('and(timeLimitMinutes.gt(10),timeLimitMinutes.lt(30),expired.eq(false))')).toEqual(['Visit 1'])
  expect(await found('createdAt.lt(2020-01-01)')).toEqual([])
  expect(await found(`createdAt.le(2999-01-01T00:00:00Z)`)).toHaveLength(3)
  const page = (await api(`${vouchers}?offset=1&limit=1&filter=expired.eq(false)`)).json()
  expect(page).toMatchObject({ count: 1, totalCount: 3, data: [{ name: 'Visit 1' }] })
})

test.each([
  'name',
  'name.eq(bare)',
  "id.eq('quoted')",
  'code.eq(1234567890)',
  "code.like('1*')",
  'expired.isNull()',
  'nothing.eq(1)',
  'constructor.eq(1)',
  'and(expired.eq(true))',
  'not(expired.eq(true),expired.eq(false))',
  'expired.eq(true) x',
  'expired.eq()',
  "name.eq('open)",
])('the filter %s gets 400', async (filter) => {
  expect(await found(filter)).toBe(400)
})

test('vouchers are deleted one by one or by a filter, and the control still shows them', async () => {
  const [first, second] = (await create({ ...visit, count: 3 })).json().vouchers

  const one = await api(`${vouchers}/${first.id}`, { method: 'DELETE' })
  expect([one.status, one.json()]).toEqual([200, { vouchersDeleted: 1 }])
  expect((await api(`${vouchers}/${first.id}`, { method: 'DELETE' })).status).toBe(404)
  const many = await api(`${vouchers}?filter=id.ne(${second.id})`, { method: 'DELETE' })
  expect(many.json()).toEqual({ vouchersDeleted: 1 })
  expect((await api(vouchers)).json()).toMatchObject({ totalCount: 1, data: [{ id: second.id }] })
  expect((await made()).map(({ deleted }) => deleted)).toEqual([true, false, true])
})

test('time runs from the first redemption and later guests share its end', async () => {
  const [{ code }] = (await create({ ...visit, timeLimitMinutes: 60, authorizedGuestLimit: 2 })).json().vouchers

  await advance(365 * 86_400)
  const first = (await redeem(`${code.slice(0, 5)}-${code.slice(5)}`, 'AA:00:00:00:00:01')).json()
  expect(first).toMatchObject({ authorizedGuestCount: 1, expired: false, createdBy: 'api', deleted: false })
  expect(Date.parse(first.expiresAt) - Date.parse(first.activatedAt)).toBe(3_600_000)
  await advance(1800)
  expect((await redeem(code, 'aa-00-00-00-00-01')).json()).toMatchObject({ authorizedGuestCount: 1 })
  expect((await redeem(code, 'aa:00:00:00:00:02')).json()).toMatchObject({
    authorizedGuestCount: 2,
    expiresAt: first.expiresAt,
  })
  expect((await redeem(code, 'aa:00:00:00:00:03')).json()).toEqual({ reason: 'full' })
  await advance(1800)
  const late = await redeem(code, 'aa:00:00:00:00:01')
  expect([late.status, late.json()]).toEqual([409, { reason: 'expired' }])
  expect(await found('expired.eq(true)')).toEqual([visit.name])
  expect((await redeem('0', 'aa:00:00:00:00:01')).json()).toEqual({ reason: 'unknown' })
})

test('another administrator can create vouchers with a code of choice', async () => {
  const body = { internalReference: 'default', name: 'Front desk', code: '0000000042' }

  expect((await control('/vouchers', body)).status).toBe(201)
  expect((await control('/vouchers', body)).status).toBe(409)
  expect((await control('/vouchers', { name: 'x' })).status).toBe(400)
  expect((await control('/vouchers', { siteId: unknownId, name: 'x' })).status).toBe(404)
  expect(await made()).toMatchObject([{ siteId: simulator.sites[0]?.id, code: '0000000042', createdBy: 'elsewhere' }])
  expect(await found("code.eq('0000000042')")).toEqual(['Front desk'])
})

test('every request is logged, without the key', async () => {
  await create({ ...visit, name: 'my secret-key' })
  await api(`${vouchers}?limit=1`, { headers: { 'x-api-key': 'wrong' } })

  const log = await control('/requests')
  expect(log.json()).toMatchObject([
    { method: 'POST', path: `/proxy/network/integration/v1${vouchers}`, status: 201, body: { timeLimitMinutes: 480 } },
    { method: 'GET', query: 'limit=1', status: 401, body: null },
  ])
  expect(log.text).not.toContain('secret-key')
  await control('/requests', undefined, 'DELETE')
  expect((await control('/requests')).json()).toEqual([])
})

test('faults happen in order to the operation they are set on, then are used up', async () => {
  await control('/faults', { on: 'delete', kind: 'forbidden' })
  await control('/faults', { on: 'create', kind: 'refuse', times: 2 })
  await control('/faults', { on: 'any', kind: 'not-found' })

  const statuses: number[] = []
  for (let n = 0; n < 4; n++) statuses.push((await create()).status)
  expect(statuses).toEqual([400, 400, 404, 201])
  expect((await control('/faults')).json()).toEqual([{ on: 'delete', kind: 'forbidden', times: 1, delayMs: 0 }])
  expect((await control('/faults', undefined, 'DELETE')).json()).toEqual({ deleted: 1 })
  expect((await control('/faults', { on: 'create', kind: 'nope' })).status).toBe(400)
  expect((await control('/faults', { on: 'nope', kind: 'reset' })).status).toBe(400)
})

test.each([
  { kind: 'refuse', status: 400, created: 0 },
  { kind: 'unauthorized', status: 401, created: 0 },
  { kind: 'forbidden', status: 403, created: 0 },
  { kind: 'not-found', status: 404, created: 0 },
  { kind: 'too-many', status: 429, created: 0 },
  { kind: 'server-error', status: 500, created: 0 },
  { kind: 'gateway-html', status: 502, created: 0 },
  { kind: 'html-ok', status: 200, created: 0 },
  { kind: 'empty', status: 201, created: 0 },
  { kind: 'no-code', status: 201, created: 1 },
  { kind: 'bad-code', status: 201, created: 1 },
  { kind: 'truncated', status: 201, created: 1 },
  { kind: 'created-then-error', status: 500, created: 1 },
  { kind: 'slow', status: 201, created: 1 },
  { kind: 'huge', status: 200, created: 0 },
  { kind: 'extra-fields', status: 201, created: 1 },
  { kind: 'deep', status: 201, created: 0 },
])('the fault $kind answers $status and creates $created', async ({ kind, status, created }) => {
  await control('/faults', { on: 'create', kind, ...(kind === 'slow' && { delayMs: 150 }) })

  const start = performance.now()
  const answer = await create()
  expect(answer.status).toBe(status)
  expect(await made()).toHaveLength(created)
  expect((await control('/requests')).json()).toMatchObject([{ status }])
  if (kind === 'too-many') expect(answer.headers.get('retry-after')).toBe('1')
  if (kind.includes('html')) expect(answer.text).toContain('<html>')
  if (kind === 'empty') expect(answer.json()).toEqual({ vouchers: [] })
  if (kind === 'no-code') expect(answer.json().vouchers[0]).not.toHaveProperty('code')
  if (kind === 'bad-code') expect(answer.json().vouchers[0].code).toBe('<script>')
  if (kind === 'truncated') expect(answer.json).toThrow(SyntaxError)
  if (kind === 'slow') expect(performance.now() - start).toBeGreaterThan(140)
  if (kind === 'huge') expect(answer.text.length).toBeGreaterThan(60 * 1024 * 1024)
  if (kind === 'extra-fields') expect(answer.json().vouchers[0]).toMatchObject({ ...visit, unknownText: 'extra' })
  if (kind === 'deep') expect(answer.text).toContain('['.repeat(100_000))
  expect((await create()).status).toBe(201)
})

test.each([
  { kind: 'reset', created: 0 },
  { kind: 'created-then-reset', created: 1 },
  { kind: 'hang-before', created: 0 },
  { kind: 'hang-after', created: 1 },
])('the fault $kind never answers and creates $created', async ({ kind, created }) => {
  await control('/faults', { on: 'create', kind })

  const hangs = kind.startsWith('hang')
  await expect(create(visit, { timeoutMs: hangs ? 200 : 5000 })).rejects.toThrow(hangs ? /timeout/ : 'fetch failed')
  expect(await made()).toHaveLength(created)
  expect((await control('/requests')).json()).toMatchObject([{ method: 'POST', status: null }])
})
