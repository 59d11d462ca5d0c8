import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'
import { type Client, clientOf, sessionOf } from '../test-client.ts'

let simulator: RunningSimulator
let client: Client
let session: ReturnType<typeof sessionOf>

beforeEach(async () => {
  const sites = ['default', 'branch'].map((internalReference) => ({ internalReference, name: internalReference }))
  simulator = await startSimulator({ flavour: 'self-hosted', sites, sessionSeconds: 864_000 })
  client = clientOf(simulator)
  session = sessionOf(simulator, 'self-hosted')
  await session.signIn()
  await client.control('/clock', { frozen: true })
})
afterEach(() => simulator.close())

const guests = async (query = '', site = 'default') =>
  (await session.get(`/api/s/${site}/stat/guest${query}`)).json().data
const unauthorize = (mac: unknown) => session.post('/api/s/default/cmd/stamgr', { cmd: 'unauthorize-guest', mac })

async function redeemed(mac: string) {
  await session.create({ quota: 2, expire: 60 })
  const [voucher] = await session.list()
  await client.redeem(voucher.code, mac)
  return voucher
}

test('redeeming a voucher adds a guest with the id and code of the voucher', async () => {
  const voucher = await redeemed('AA-00-00-00-00-01')

  const id = expect.stringMatching(/^[0-9a-f]{24}$/)
  const { start_time, end_time } = (await session.list())[0]
  expect(await guests()).toEqual([
    {
      _id: id,
      site_id: voucher.site_id,
      user_id: id,
      mac: 'aa:00:00:00:00:01',
      ap_mac: expect.any(String),
      name: '',
      authorized_by: 'voucher',
      voucher_id: voucher._id,
      voucher_code: voucher.code,
      start: start_time,
      end: end_time,
      duration: 60,
      expired: false,
      rx_bytes: 0,
      tx_bytes: 0,
    },
  ])
  expect(await guests('', 'branch')).toEqual([])
})

test('guests can be shown without the fields that name their voucher', async () => {
  await redeemed('aa:00:00:00:00:01')
  await client.behave({ guestsNameVoucher: false })

  const [guest] = await guests()
  expect(Object.keys(guest).filter((member) => member.startsWith('voucher'))).toEqual([])
  expect(guest.authorized_by).toBe('voucher')
})

test('each device is one guest, and all guests of a voucher share its end', async () => {
  const { code } = await redeemed('aa:00:00:00:00:01')
  await client.advance(600)
  await client.redeem(code, 'aa:00:00:00:00:01')
  await client.redeem(code, 'aa:00:00:00:00:02')

  const [first, second, ...more] = await guests()
  expect([second.start - first.start, second.end - first.end, more]).toEqual([600, 0, []])
  await client.advance(3000)
  expect((await guests()).map(({ expired }: { expired: boolean }) => expired)).toEqual([true, true])
})

test('unauthorising a guest ends the authorisation at once, and the guest can use the same code again', async () => {
  const { code } = await redeemed('aa:00:00:00:00:01')
  await client.redeem(code, 'aa:00:00:00:00:02')

  expect((await unauthorize('AA:00:00:00:00:01')).json()).toEqual({ meta: { rc: 'ok' }, data: [] })
  expect((await guests()).map(({ expired }: { expired: boolean }) => expired)).toEqual([true, false])
  expect((await session.list())[0].used).toBe(2)
  await client.redeem(code, 'aa:00:00:00:00:01')
  expect((await guests()).map(({ expired }: { expired: boolean }) => expired)).toEqual([true, false, false])
})

test('the guests of a deleted voucher stay authorised', async () => {
  const { _id } = await redeemed('aa:00:00:00:00:01')
  await session.remove(_id)

  expect(await guests()).toMatchObject([{ voucher_id: _id, expired: false }])
})

test('an unknown device gets ok, no MAC address 400, an unknown command 400, a read-only administrator 403', async () => {
  expect((await unauthorize('aa:00:00:00:00:09')).status).toBe(200)
  expect((await unauthorize(7)).json().meta.msg).toBe('api.err.InvalidArgs')
  const misplaced = await session.post('/api/s/default/cmd/stamgr', { cmd: 'create-voucher', expire: 60 })
  expect(misplaced.json().meta.msg).toBe('api.err.InvalidArgs')
  await client.behave({ readOnly: true })
  expect((await unauthorize('aa:00:00:00:00:01')).json().meta.msg).toBe('api.err.NoPermission')
})

test('the list can be limited to the last hours, or to a start and an end', async () => {
  await redeemed('aa:00:00:00:00:01')
  const [{ start_time: start }] = await session.list()
  await client.advance(4 * 3600)

  const counts = async (query: string) => (await guests(query)).length
  expect(await counts('?within=2')).toBe(0)
  expect(await counts('?within=4')).toBe(1)
  expect(await counts(`?start=${start * 1000}&end=${start * 1000 + 1}`)).toBe(1)
  expect(await counts(`?start=0&end=${start * 1000 - 1}`)).toBe(0)
  expect((await session.post('/api/s/default/stat/guest', { within: 2 })).json().data).toEqual([])
  expect((await session.get('/api/s/default/stat/guest?within=long')).status).toBe(400)
})

test('a guest without a voucher is listed with another means', async () => {
  const body = { internalReference: 'default', mac: 'aa:00:00:00:00:05' }
  expect((await client.control('/guests', body)).status).toBe(201)

  const [guest] = await guests()
  expect(guest).toMatchObject({ mac: body.mac, authorized_by: 'api', expired: false })
  expect(guest).not.toHaveProperty('voucher_id')
  expect((await client.control('/guests', { ...body, mac: 'no' })).status).toBe(400)
  expect((await client.control('/guests', { mac: body.mac })).status).toBe(400)
})

test('a guest whose authorisation ended may disappear, or be listed only with its end', async () => {
  await redeemed('aa:00:00:00:00:01')
  await client.behave({ guestsWithoutExpired: true })
  expect((await guests())[0]).not.toHaveProperty('expired')
  await unauthorize('aa:00:00:00:00:01')
  expect(await guests()).toHaveLength(1)
  await client.behave({ forgetUnauthorized: true })

  expect(await guests()).toEqual([])
  expect((await client.control('/guests')).json()).toMatchObject([{ mac: 'aa0000000001', authorized: false }])
})
