import { expect, test } from 'vitest'
import { client, create, found, simulator, unknownId, useTestBench, visit, vouchers } from '../test-bench.ts'

useTestBench()

test('the time of a voucher runs from the first redemption, and later guests share its end', async () => {
  const [{ code }] = (await create({ ...visit, timeLimitMinutes: 60, authorizedGuestLimit: 2 })).json().vouchers

  await client.advance(365 * 86_400)
  const first = (await client.redeem(`${code.slice(0, 5)}-${code.slice(5)}`, 'AA:00:00:00:00:01')).json()
  expect(first).toMatchObject({ authorizedGuestCount: 1, expired: false, createdBy: 'api', deleted: false })
  expect(Date.parse(first.expiresAt) - Date.parse(first.activatedAt)).toBe(3_600_000)
  await client.advance(1800)
  expect((await client.redeem(code, 'aa-00-00-00-00-01')).json()).toMatchObject({ authorizedGuestCount: 1 })
  expect((await client.redeem(code, 'aa:00:00:00:00:02')).json()).toMatchObject({
    authorizedGuestCount: 2,
    expiresAt: first.expiresAt,
  })
  expect((await client.redeem(code, 'aa:00:00:00:00:03')).json()).toEqual({ reason: 'full' })
  await client.advance(1800)
  const late = await client.redeem(code, 'aa:00:00:00:00:01')
  expect([late.status, late.json()]).toEqual([409, { reason: 'expired' }])
  expect(await found('expired.eq(true)')).toEqual([visit.name])
  expect((await client.redeem('0', 'aa:00:00:00:00:01')).json()).toEqual({ reason: 'unknown' })
})

test('a test can delete a voucher as another administrator', async () => {
  const [{ code }] = (await create(visit)).json().vouchers

  expect((await client.control('/delete', { code })).json()).toMatchObject({ code, deleted: true })
  expect((await client.control('/delete', { code: '0' })).status).toBe(404)
  expect((await client.integration(vouchers)).json().totalCount).toBe(0)
})

test('a test can create vouchers as another administrator and choose the code', async () => {
  const body = { internalReference: 'default', name: 'Front desk', code: '0000000042' }

  expect((await client.control('/vouchers', body)).status).toBe(201)
  expect((await client.control('/vouchers', body)).status).toBe(409)
  expect((await client.control('/vouchers', { name: 'x' })).status).toBe(400)
  expect((await client.control('/vouchers', { siteId: unknownId, name: 'x' })).status).toBe(404)
  expect(await client.made()).toMatchObject([
    { siteId: simulator.sites[0]?.id, code: '0000000042', createdBy: 'elsewhere' },
  ])
  expect(await found("code.eq('0000000042')")).toEqual(['Front desk'])
})

test('a test can insert vouchers of the past, with the devices that used them', async () => {
  const past = { code: '0000000007', name: 'Room 12', timeLimitMinutes: 60, createdAt: '2026-01-01T15:00:00Z' }
  const used = { ...past, code: '0000000008', authorizedGuestLimit: 2, firstUsedAt: '2026-01-02T08:30:00Z', devices: 2 }
  const insert = (...list: object[]) => client.control('/history', { internalReference: 'default', vouchers: list })

  const inserted = await insert(past, used)
  const shown = (await client.integration(vouchers)).json().data
  expect(inserted.status).toBe(201)
  expect(inserted.json().map(({ id, code }: any) => [id, code])).toEqual(shown.map(({ id, code }: any) => [id, code]))
  expect(shown).toMatchObject([
    { code: '0000000007', createdAt: '2026-01-01T15:00:00Z', authorizedGuestCount: 0, expired: false },
    { activatedAt: '2026-01-02T08:30:00Z', expiresAt: '2026-01-02T09:30:00Z', authorizedGuestCount: 2, expired: true },
  ])
  expect((await client.control('/guests')).json()).toMatchObject([{ authorized: false }, { authorized: false }])
  expect((await insert(past)).status).toBe(409)
  expect((await insert({ ...past, code: '1' })).status).toBe(400)
  expect((await insert({ ...past, code: '0000000009', createdAt: 'yesterday' })).status).toBe(400)
  expect((await insert({ ...used, code: '0000000009', firstUsedAt: undefined })).status).toBe(400)
})

test('the log contains every request, without the API key', async () => {
  await create({ ...visit, name: 'my secret-key' })
  await client.integration(`${vouchers}?limit=1`, { headers: { 'x-api-key': 'wrong' } })

  const log = await client.control('/requests')
  expect(log.json()).toMatchObject([
    { method: 'POST', path: `/proxy/network/integration/v1${vouchers}`, status: 201, body: { timeLimitMinutes: 480 } },
    { method: 'GET', query: 'limit=1', status: 401, body: null },
  ])
  expect(log.text).not.toContain('secret-key')
  await client.control('/requests', undefined, 'DELETE')
  expect((await client.control('/requests')).json()).toEqual([])
})

test('a test can choose the name of the other administrator and leave out the name of the voucher', async () => {
  const body = { internalReference: 'default' }

  await client.control('/vouchers', { ...body, count: 1000 })
  await client.control('/vouchers', { ...body, name: 'Night', adminName: 'night-desk' })
  expect((await client.control('/vouchers', { ...body, adminName: 7 })).status).toBe(400)
  for (const count of [0, '2', 20_001]) expect((await client.control('/vouchers', { ...body, count })).status).toBe(400)
  const all = await client.made()
  expect(all).toHaveLength(1001)
  expect(new Set(all.slice(0, 1000).map(({ createdAt }: { createdAt: string }) => createdAt)).size).toBe(1)
  expect(all[0]).toMatchObject({ name: '', adminName: 'other-admin' })
  expect(all[1000]).toMatchObject({ name: 'Night', adminName: 'night-desk' })
})

test('a frozen clock moves only when a test advances it', async () => {
  const { now } = (await client.control('/clock', { frozen: true })).json()

  await new Promise((resolve) => setTimeout(resolve, 20))
  expect((await client.advance(0)).json().now).toBe(now)
  expect(Date.parse((await client.advance(5)).json().now)).toBe(Date.parse(now) + 5000)
  await client.control('/clock', { frozen: false })
  expect(Date.parse((await client.advance(0)).json().now)).toBeGreaterThan(Date.parse(now) + 5000)
  expect((await client.control('/clock', { frozen: 1 })).status).toBe(400)
})

test('the behaviour can be shown, changed in part and reset', async () => {
  const usual = (await client.control('/behaviour')).json()

  expect((await client.behave({ mfa: true })).json()).toEqual({ ...usual, mfa: true })
  expect((await client.behave({ nullNotes: 'absent', expireSessions: false })).json()).toEqual({
    ...usual,
    mfa: true,
    nullNotes: 'absent',
  })
  expect((await client.control('/behaviour', undefined, 'DELETE')).json()).toEqual(usual)
  expect((await client.control('/behaviour')).json()).toEqual(usual)
})

test.each<object>([
  { mfa: 1 },
  { nope: true },
  { constructor: true },
  { version: 'new' },
  { csrfIn: 'body' },
  { rotateCsrf: -1 },
  { expireSessions: 'now' },
  { nullNotes: null },
])('the behaviour %j gets 400 and changes nothing', async (behaviour) => {
  const before = (await client.control('/behaviour')).json()

  expect((await client.behave({ booting: true, ...behaviour })).status).toBe(400)
  expect((await client.control('/behaviour')).json()).toEqual(before)
})

test('the log counts the bytes of every body that was sent, and has null where nothing was sent', async () => {
  const made = await create({ ...visit, name: 'Größe' })
  await client.control('/faults', { on: 'list', kind: 'huge' })
  const huge = await client.integration(vouchers)
  await client.control('/faults', { on: 'create', kind: 'reset' })
  await create().catch(() => undefined)

  const counts = (await client.control('/requests')).json().map((entry: { replyBytes: number }) => entry.replyBytes)
  expect(counts).toEqual([Buffer.byteLength(made.text), huge.text.length, null])
  expect(counts[0]).toBe(Number(made.headers.get('content-length')))
  expect(counts[0]).toBeGreaterThan(made.text.length)
})
