import { expect, test } from 'vitest'
import { client, create, found, simulator, unknownId, useTestBench, visit, vouchers } from '../test-bench.ts'
import type { Request } from '../test-client.ts'

useTestBench()

test('a missing or wrong key gets 401 in the envelope of the gateway', async () => {
  const expected = { error: { code: 401, message: 'Unauthorized' } }

  expect((await client.call('/proxy/network/integration/v1/info')).json()).toEqual(expected)
  const wrong = await client.integration('/nowhere', { headers: { 'x-api-key': 'wrong' } })
  expect([wrong.status, wrong.json()]).toEqual([401, expected])
})

test('the version and the sites are shown, and the limit of sites is lowered to 200', async () => {
  expect((await client.integration('/info')).json()).toEqual({ applicationVersion: expect.any(String) })
  const page = { offset: 0, count: 2, totalCount: 2, data: simulator.sites }
  expect((await client.integration('/sites')).json()).toEqual({ ...page, limit: 25 })
  expect((await client.integration('/sites?limit=1000')).json()).toEqual({ ...page, limit: 200 })
  const branch = (
    await client.integration(`/sites?filter=${encodeURIComponent("internalReference.eq('branch')")}`)
  ).json()
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
  expect((await client.integration(`${vouchers}/${voucher.id}`)).json()).toEqual(voucher)
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
  { ...visit, timeLimitMinutes: null },
  { ...visit, count: null },
  { ...visit, dataUsageLimitMBytes: 1_048_577 },
  { ...visit, rxRateLimitKbps: 1 },
  { ...visit, txRateLimitKbps: 100_001 },
  { ...visit, quota: 1 },
  '{"name":',
])('the body %j gets 400 and creates nothing', async (body) => {
  const answer = await create(body)

  expect(answer.json()).toMatchObject({ statusCode: 400, statusName: 'BAD_REQUEST', code: 'api.request.error' })
  expect(await client.made()).toEqual([])
})

test('null means no limit, unless null is rejected', async () => {
  const unlimited = {
    authorizedGuestLimit: null,
    dataUsageLimitMBytes: null,
    rxRateLimitKbps: null,
    txRateLimitKbps: null,
  }

  const [voucher] = (await create({ ...visit, ...unlimited })).json().vouchers
  expect(Object.keys(voucher).filter((member) => member in unlimited)).toEqual([])
  await client.behave({ refuseNullLimits: true })
  expect((await create({ ...visit, ...unlimited })).status).toBe(400)
})

test.each([
  { version: '9.5.21', status: 201 },
  { version: '10.0.162', status: 201 },
  { version: '10.1.68', status: 400 },
  { version: '11.0', status: 400 },
])('an empty name gets $status on version $version', async ({ version, status }) => {
  await client.behave({ version })

  expect((await create({ ...visit, name: '' })).status).toBe(status)
})

test('errors for unknown or malformed requests have the envelope of the application', async () => {
  const wrongSite = await client.integration('/sites/default/hotspot/vouchers')
  expect(wrongSite.json()).toEqual({
    statusCode: 400,
    statusName: 'BAD_REQUEST',
    code: 'api.request.argument-type-mismatch',
    message: "'default' is not a valid 'siteId' value",
    timestamp: expect.any(String),
    requestPath: '/integration/v1/sites/default/hotspot/vouchers',
    requestId: expect.any(String),
  })
  const status = async (path: string, options?: Request) => (await client.integration(path, options)).status
  expect(await status(`/sites/${unknownId}/hotspot/vouchers`)).toBe(404)
  expect(await status(`${vouchers}/${unknownId}`)).toBe(404)
  expect(await status(`${vouchers}/nope`)).toBe(400)
  expect(await status(`${vouchers}?limit=many`)).toBe(400)
  expect(await status(`${vouchers}?offset=-1`)).toBe(400)
  expect(await status(vouchers, { method: 'DELETE' })).toBe(400)
  expect(await status(vouchers, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } })).toBe(415)
  expect((await client.integration('/nowhere')).json()).toMatchObject({ statusCode: 404, code: 'api.request.error' })
  const put = await client.integration(vouchers, { method: 'PUT', body: {} })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
})

test('before Network 10 the envelope of the application has no code', async () => {
  await client.behave({ version: '9.1.120' })

  const answer = (await client.integration('/nowhere')).json()
  expect(answer).toMatchObject({ statusCode: 404, statusName: 'NOT_FOUND' })
  expect(answer).not.toHaveProperty('code')
})

test('pages follow each other, and their limit is lowered to 1000', async () => {
  await create({ ...visit, count: 1000 })
  await create({ ...visit, count: 5 })

  const first = (await client.integration(`${vouchers}?limit=10000`)).json()
  const second = (await client.integration(`${vouchers}?limit=10000&offset=1000`)).json()
  expect(first).toMatchObject({ offset: 0, limit: 1000, count: 1000, totalCount: 1005 })
  expect(second).toMatchObject({ offset: 1000, limit: 1000, count: 5, totalCount: 1005 })
  expect(new Set([...first.data, ...second.data].map(({ code }) => code)).size).toBe(1005)
  expect((await client.integration(vouchers)).json()).toMatchObject({ limit: 100, count: 100 })
  expect((await client.integration(`${vouchers}?limit=0`)).json()).toMatchObject({
    limit: 0,
    count: 0,
    totalCount: 1005,
    data: [],
  })
})

test('the list can be sorted by oldest or newest first, also with pages and filters', async () => {
  for (const name of ['first', 'second', 'third']) await create({ ...visit, name })
  const names = async (query: string) =>
    (await client.integration(`${vouchers}?${query}`)).json().data.map((voucher: { name: string }) => voucher.name)

  expect(await names('')).toEqual(['first', 'second', 'third'])
  await client.behave({ sortNewestFirst: true })
  expect(await names('')).toEqual(['third', 'second', 'first'])
  expect(await names('limit=2&offset=1')).toEqual(['second', 'first'])
  expect(await names('limit=1&filter=expired.eq(false)')).toEqual(['third'])
  await client.behave({ sortNewestFirst: false })
  expect(await names('')).toEqual(['first', 'second', 'third'])
})

test('filters select vouchers as documented', async () => {
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
  const page = (await client.integration(`${vouchers}?offset=1&limit=1&filter=expired.eq(false)`)).json()
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

test('vouchers are deleted one by one or by a filter, and /control still shows them', async () => {
  const [first, second] = (await create({ ...visit, count: 3 })).json().vouchers

  const one = await client.integration(`${vouchers}/${first.id}`, { method: 'DELETE' })
  expect([one.status, one.json()]).toEqual([200, { vouchersDeleted: 1 }])
  expect((await client.integration(`${vouchers}/${first.id}`, { method: 'DELETE' })).status).toBe(404)
  const many = await client.integration(`${vouchers}?filter=id.ne(${second.id})`, { method: 'DELETE' })
  expect(many.json()).toEqual({ vouchersDeleted: 1 })
  expect((await client.integration(vouchers)).json()).toMatchObject({ totalCount: 1, data: [{ id: second.id }] })
  expect((await client.made()).map(({ deleted }: { deleted: boolean }) => deleted)).toEqual([true, false, true])
})

test.each([200, 204])('deletions can be answered with %d and no body', async (emptyDeletes) => {
  const { id } = (await create()).json().vouchers[0]
  await create({ ...visit, name: 'Another' })
  await client.behave({ emptyDeletes })
  const one = await client.integration(`${vouchers}/${id}`, { method: 'DELETE' })
  const rest = await client.integration(`${vouchers}?filter=${encodeURIComponent("name.eq('Another')")}`, {
    method: 'DELETE',
  })

  expect([one.status, one.text, rest.status, rest.text]).toEqual([emptyDeletes, '', emptyDeletes, ''])
  expect((await client.integration(vouchers)).json().totalCount).toBe(0)
})
