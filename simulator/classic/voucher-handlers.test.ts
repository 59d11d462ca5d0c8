import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'
import { type Client, clientOf, sessionOf } from '../test-client.ts'

let simulator: RunningSimulator
let client: Client
let session: ReturnType<typeof sessionOf>

beforeEach(async () => {
  simulator = await startSimulator({ username: 'desk', sessionSeconds: 86_400 })
  client = clientOf(simulator)
  session = sessionOf(simulator, 'console')
  await session.signIn()
  await client.control('/clock', { frozen: true })
})
afterEach(() => simulator.close())

const elsewhere = (body: object) => client.control('/vouchers', { internalReference: 'default', ...body })
const createTime = async (body?: object): Promise<number> => (await session.create(body)).json().data[0].create_time
const codes = (vouchers: { code: string }[]) => vouchers.map(({ code }) => code).sort()

test('a creation returns only its second, and the list of that second contains the voucher', async () => {
  const answer = await session.create({ up: 2000, down: 10_000, bytes: 500 })

  expect(answer.json()).toEqual({ meta: { rc: 'ok' }, data: [{ create_time: expect.any(Number) }] })
  const second = answer.json().data[0].create_time
  const [voucher] = await session.listSecond(second)
  expect(voucher).toEqual({
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    site_id: (await session.get('/api/self/sites')).json().data[0]._id,
    code: expect.stringMatching(/^\d{10}$/),
    create_time: second,
    duration: 480,
    quota: 1,
    used: 0,
    note: 'Visit 7F3K',
    admin_name: 'desk',
    for_hotspot: false,
    qos_overwrite: true,
    qos_rate_max_up: 2000,
    qos_rate_max_down: 10_000,
    qos_usage_quota: 500,
    status: 'VALID_ONE',
    status_expires: 0,
  })
  expect(Number.isSafeInteger(second)).toBe(true)
})

test('limits that were not set are absent, and qos_overwrite is false or absent', async () => {
  await session.create({ qos_overwrite: false })

  const [voucher] = await session.list()
  const qos = Object.entries(voucher).filter(([member]) => member.startsWith('qos'))
  expect(qos).toEqual([['qos_overwrite', false]])
  await client.behave({ qosOverwriteFalse: false })
  expect((await session.list())[0]).not.toHaveProperty('qos_overwrite')
  expect(voucher).not.toHaveProperty('start_time')
  expect(voucher).not.toHaveProperty('end_time')
})

test.each([
  { n: 0 },
  { n: '2' },
  { n: 10_001 },
  { n: 1.5 },
  { quota: -1 },
  { quota: '1' },
  { quota: 10_001 },
  { quota: null },
  { expire: 0 },
  { expire: '480' },
  { expire: undefined },
  { expire_number: 8 },
  { expire: undefined, expire_number: 8 },
  { expire: undefined, expire_number: 1, expire_unit: 30 },
  { expire: undefined, expire_number: 2_147_483_647, expire_unit: 60 },
  { up: 0 },
  { down: 0 },
  { bytes: 0 },
  { bytes: '500' },
  { note: 7 },
  { guests: 1 },
])('a creation with %j gets 400 InvalidArgs and creates nothing', async (body) => {
  const answer = await session.create(body)

  expect([answer.status, answer.json()]).toEqual([400, { meta: { rc: 'error', msg: 'api.err.InvalidArgs' }, data: [] }])
  expect(await client.made()).toEqual([])
})

test('a body that is not JSON gets InvalidPayload, an unknown command InvalidArgs', async () => {
  expect((await session.post('/api/s/default/cmd/hotspot', '{"cmd":')).json().meta.msg).toBe('api.err.InvalidPayload')
  expect((await session.post('/api/s/default/cmd/hotspot', { cmd: 'x' })).json().meta.msg).toBe('api.err.InvalidArgs')
  const wrongSecond = await session.post('/api/s/default/stat/voucher', { create_time: 'now' })
  expect(wrongSecond.json().meta.msg).toBe('api.err.InvalidArgs')
})

test.each([
  { body: { expire: undefined, expire_number: 2, expire_unit: 1 }, minutes: 2 },
  { body: { expire: undefined, expire_number: 2, expire_unit: 60 }, minutes: 120 },
  { body: { expire: undefined, expire_number: 2, expire_unit: 1440 }, minutes: 2880 },
  { body: { expire: undefined, expire_number: 2, expire_unit: 3600 }, minutes: 7200 },
  { body: { expire: 480, expire_number: 1, expire_unit: 1440 }, minutes: 480 },
  { body: { expire: 5_256_000 }, minutes: 5_256_000 },
  { body: { up: null, down: null, bytes: null }, minutes: 480 },
])('a creation with $body lasts $minutes minutes', async ({ body, minutes }) => {
  await session.create(body)

  expect((await session.list())[0]).toMatchObject({ duration: minutes, qos_overwrite: false })
})

test('the unit 3600 can mean a day, and long durations or null limits can be rejected', async () => {
  await client.behave({ unit3600: 'day', refuseLongDurations: true, refuseNullLimits: true })

  await session.create({ expire: undefined, expire_number: 2, expire_unit: 3600 })
  expect((await session.list())[0].duration).toBe(2880)
  for (const body of [
    { expire: 1_000_001 },
    { expire: undefined, expire_number: 1000, expire_unit: 1440 },
    { up: null },
  ])
    expect((await session.create(body)).json().meta.msg).toBe('api.err.InvalidArgs')
})

test.each([
  { quota: 0, limit: undefined, status: 'VALID_MULTI' },
  { quota: 1, limit: 1, status: 'VALID_ONE' },
  { quota: 3, limit: 3, status: 'VALID_MULTI' },
])('the quota $quota is the guest limit $limit and the status $status', async ({ quota, limit, status }) => {
  await session.create({ quota })

  expect((await client.made())[0].authorizedGuestLimit).toBe(limit)
  expect((await session.list())[0]).toMatchObject({ quota, status })
})

test('the list of a second contains the vouchers of all administrators from that second, and no others', async () => {
  await client.advance(10)
  const second = await createTime({ n: 3 })
  await session.create()
  await elsewhere({ name: 'Visit 7F3K', count: 2 })
  await elsewhere({ name: 'Visit 7F3K', adminName: 'night-desk' })
  await client.advance(1)
  await session.create()

  const together = await session.listSecond(second)
  const admins = together.map(({ admin_name }: { admin_name: string }) => admin_name).sort()
  expect(admins).toEqual(['desk', 'desk', 'desk', 'desk', 'night-desk', 'other-admin', 'other-admin'])
  expect(await session.listSecond(second + 1)).toHaveLength(1)
  expect(await session.listSecond(second - 1)).toEqual([])
  expect((await session.post('/api/s/default/stat/voucher', {})).json().data).toHaveLength(8)
})

test('the list is in random order', async () => {
  await session.create({ n: 50 })

  const made = (await client.made()).map(({ code }: { code: string }) => code)
  const listed = (await session.list()).map(({ code }: { code: string }) => code)
  expect(listed).not.toEqual(made)
  expect(listed.sort()).toEqual(made.sort())
})

test('both APIs see the same vouchers under different ids', async () => {
  const site = simulator.sites[0]?.id
  const vouchers = `/sites/${site}/hotspot/vouchers`
  await session.create({ up: 5, down: 9, quota: 0 })
  const body = { name: 'Key', timeLimitMinutes: 60 }
  const [byKey] = (await client.integration(vouchers, { method: 'POST', body })).json().vouchers

  const { data } = (await client.integration(vouchers)).json()
  const classic = await session.list()
  expect(codes(classic)).toEqual(codes(data))
  expect(data[0]).toMatchObject({ name: 'Visit 7F3K', txRateLimitKbps: 5, rxRateLimitKbps: 9 })
  const same = classic.find(({ code }: { code: string }) => code === byKey.code)
  expect(same).toMatchObject({ note: 'Key', quota: 0, duration: 60, admin_name: 'integration-api' })
  expect(same._id).not.toBe(byKey.id)
  await session.remove(same._id)
  expect((await client.integration(`${vouchers}/${byKey.id}`)).status).toBe(404)
})

test('a used voucher has times and a status until it expires', async () => {
  const second = await createTime({ quota: 2, expire: 60 })
  const [{ code }] = await session.list()
  await client.advance(100)
  await client.redeem(code)

  const start_time = second + 100
  const used = { used: 1, start_time, end_time: start_time + 3600, status: 'USED_MULTIPLE', status_expires: 3600 }
  expect((await session.list())[0]).toMatchObject(used)
  await client.advance(600)
  expect((await session.list())[0].status_expires).toBe(3000)
  await client.advance(3000)
  expect((await session.list())[0]).toMatchObject({ status: 'EXPIRED', status_expires: 0, used: 1 })
})

test('used single-use vouchers disappear from the list of an old controller only', async () => {
  await session.create({ n: 2 })
  await session.create({ quota: 2 })
  const [single, unused, multi] = await client.made()
  await client.redeem(single.code)
  await client.redeem(multi.code)

  expect(await session.list()).toHaveLength(3)
  await client.behave({ oldController: true })
  expect(codes(await session.list())).toEqual([unused.code, multi.code].sort())
  const { data } = (await client.integration(`/sites/${single.siteId}/hotspot/vouchers`)).json()
  expect(data).toHaveLength(3)
})

test('a deletion with a code or an unknown id gets ok and deletes nothing', async () => {
  await session.create({ n: 2 })
  const [first, second] = await session.list()

  for (const id of [first.code, 'f'.repeat(24)]) {
    expect((await session.remove(id)).json()).toEqual({ meta: { rc: 'ok' }, data: [] })
  }
  expect(await session.list()).toHaveLength(2)
  expect((await session.remove(first._id)).json()).toEqual({ meta: { rc: 'ok' }, data: [] })
  expect(codes(await session.list())).toEqual([second.code])
  expect(codes(await session.listSecond(first.create_time))).toEqual([second.code])
  expect((await session.remove(7)).json().meta.msg).toBe('api.err.IdInvalid')
})

test('a read-only administrator can neither create nor delete', async () => {
  await session.create()
  const [voucher] = await session.list()
  await client.behave({ readOnly: true })

  const expected = { meta: { rc: 'error', msg: 'api.err.NoPermission' }, data: [] }
  for (const answer of [await session.create(), await session.remove(voucher._id)]) {
    expect([answer.status, answer.json()]).toEqual([403, expected])
  }
  expect(await session.list()).toHaveLength(1)
})

test('notes can be null or absent, and the data limit a string', async () => {
  await session.create({ bytes: 500 })

  await client.behave({ nullNotes: true, stringQuota: true })
  expect((await session.list())[0]).toMatchObject({ note: null, qos_usage_quota: '500' })
  await client.behave({ nullNotes: 'absent', stringQuota: false })
  expect((await session.list())[0]).not.toHaveProperty('note')
  expect((await session.list())[0].qos_usage_quota).toBe(500)
})

test('an absent note can be shown as absent, empty or null, and the Integration API leaves out the name', async () => {
  await session.create({ note: undefined })
  await session.create({ note: '' })
  await elsewhere({})
  const vouchers = `/sites/${simulator.sites[0]?.id}/hotspot/vouchers`
  const notes = async () => (await session.list()).map(({ note }: { note?: string }) => note)
  const names = async () => (await client.integration(vouchers)).json().data.map(({ name }: { name?: string }) => name)

  expect([await notes(), await names()]).toEqual([Array(3).fill(undefined), Array(3).fill(undefined)])
  await client.behave({ emptyNotes: 'null' })
  expect([await notes(), await names()]).toEqual([Array(3).fill(null), Array(3).fill(undefined)])
  await client.behave({ emptyNotes: 'empty' })
  expect([await notes(), await names()]).toEqual([Array(3).fill(''), Array(3).fill('')])
})

test.each([200, 204])('a deletion can be answered with %d and no body', async (emptyDeletes) => {
  const [voucher] = await session.listSecond(await createTime())
  await client.behave({ emptyDeletes })
  const answer = await session.remove(voucher._id)

  expect([answer.status, answer.text, await session.list()]).toEqual([emptyDeletes, '', []])
})

test('the name of the administrator in vouchers can differ from the user name', async () => {
  await client.behave({ adminName: 'Front desk' })

  expect(await session.listSecond(await createTime())).toMatchObject([{ admin_name: 'Front desk' }])
})
