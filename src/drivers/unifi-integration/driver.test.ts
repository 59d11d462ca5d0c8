import { beforeEach, expect, test } from 'vitest'
import { call } from '#test/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { freePort } from '#test/private-redis.ts'
import { startSimulator } from '#test/simulator.ts'
import type { ControllerVoucher } from '../driver.ts'
import { unifiIntegration } from './driver.ts'

const simulator = await startSimulator('--site', 'default=Default', '--site', "o'brien=O'Brien")
const connection = connect(simulator.url)
const shape = { name: '2026-11-14_Gast', maxUses: 2, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }

beforeEach(() => simulator.forget())

function connect(address: string, apiKey = simulator.apiKey, certificatePin: Buffer | null = null) {
  const made = unifiIntegration.connect({ address, credentials: { apiKey }, certificatePin })
  onFileEnd(() => made.close())
  return made
}

async function listAll(site: string): Promise<ControllerVoucher[]> {
  const all: ControllerVoucher[] = []
  for await (const page of connection.list(site)) all.push(...page)
  return all
}

const failure = (name: string, outcome: string) =>
  expect.objectContaining({ name: 'ControllerError', failure: name, outcome })

test('create returns the voucher as the controller made it', async () => {
  const [voucher] = await connection.create('default', { ...shape, downKbps: 2000, quotaMb: 5 }, 1)

  expect(voucher).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    code: expect.stringMatching(/^\d{10}$/),
    formattedCode: `${voucher?.code.slice(0, 5)}-${voucher?.code.slice(5)}`,
    shape: { ...shape, downKbps: 2000, quotaMb: 5 },
    usedCount: 0,
    createdAt: expect.any(Date),
    firstUsedAt: null,
    expiresAt: null,
    expired: false,
  })
})

test('create makes a batch in one call', async () => {
  const vouchers = await connection.create('default', shape, 50)

  expect(new Set(vouchers.map(({ code }) => code)).size).toBe(50)
  expect(await simulator.creates()).toBe(1)
})

test('a site is found by its reference, quotes included, and by its UUID', async () => {
  const [byName] = await connection.create("o'brien", shape, 1)
  const made = (await simulator.vouchers()).find(({ code }) => code === byName?.code)
  const [byId] = await connection.create(made?.siteId as string, shape, 1)

  expect((await listAll("o'brien")).map(({ code }) => code)).toEqual([byName?.code, byId?.code])
})

test('list goes through all pages', async () => {
  const before = (await listAll('default')).length
  await connection.create('default', shape, 1_000)
  await connection.create('default', shape, 1_000)
  await connection.create('default', shape, 300)

  expect(await listAll('default')).toHaveLength(before + 2_300)
})

test('list tells uses, first use and end once a voucher was redeemed', async () => {
  const [voucher] = await connection.create('default', shape, 1)
  await call(`${simulator.url}/control/redeem`, {
    method: 'POST',
    body: JSON.stringify({ code: voucher?.code, mac: 'aa:bb:cc:dd:ee:ff' }),
  })
  const redeemed = (await listAll('default')).find(({ id }) => id === voucher?.id)

  expect(redeemed).toMatchObject({ usedCount: 1, firstUsedAt: expect.any(Date), expired: false })
  expect(Number(redeemed?.expiresAt) - Number(redeemed?.firstUsedAt)).toBe(60 * 60_000)
})

test('delete removes the vouchers named', async () => {
  const made = await connection.create('default', shape, 3)
  await connection.delete(
    'default',
    made.slice(0, 2).map(({ id }) => id as string),
  )
  const left = (await listAll('default')).map(({ id }) => id)

  expect(made.map(({ id }) => left.includes(id))).toEqual([false, false, true])
})

test.each([
  ['refuse', 'rejected', 'refused'],
  ['unauthorized', 'rejected', 'refused'],
  ['not-found', 'missing', 'refused'],
  ['too-many', 'busy', 'refused'],
  ['server-error', 'failed', 'unknown'],
  ['gateway-html', 'failed', 'unknown'],
  ['reset', 'failed', 'unknown'],
  ['created-then-reset', 'failed', 'unknown'],
  ['huge', 'failed', 'unknown'],
  ['empty', undefined, undefined],
  ['no-code', undefined, undefined],
  ['bad-code', undefined, undefined],
  ['html-ok', 'no_voucher', 'unknown'],
  ['truncated', 'no_voucher', 'unknown'],
  ['deep', undefined, undefined],
  ['hang-before', 'timeout', 'unknown'],
])('create, fault %s: %s, outcome %s', async (kind, name, outcome) => {
  await simulator.fault(kind)
  const attempt = connection.create('default', shape, 1)

  if (name === undefined) expect(await attempt).toEqual([])
  else await expect(attempt).rejects.toEqual(failure(name, outcome as string))
  expect(await simulator.creates()).toBe(1)
})

test('nobody there, a name that does not resolve, a wrong key, an unknown site: nothing was made', async () => {
  await expect(connect(`http://127.0.0.1:${await freePort()}`).create('default', shape, 1)).rejects.toEqual(
    failure('unreachable', 'refused'),
  )
  await expect(connect('http://controller.invalid').create('default', shape, 1)).rejects.toEqual(
    failure('unreachable', 'refused'),
  )
  await expect(connect(simulator.url, 'wrong').create('default', shape, 1)).rejects.toEqual(
    failure('rejected', 'refused'),
  )
  await expect(connection.create('nowhere', shape, 1)).rejects.toEqual(failure('missing', 'refused'))
  expect(await simulator.creates()).toBe(0)
})

test('whatever fails while the site is looked up, nothing was asked for', async () => {
  await simulator.fault('server-error', { on: 'any' })

  await expect(connect(simulator.url).create('default', shape, 1)).rejects.toEqual(failure('failed', 'refused'))
  expect(await simulator.creates()).toBe(0)
})

test('an error says nothing of the reply and the key', async () => {
  await simulator.fault('gateway-html')
  const error = await connection.create('default', shape, 1).catch((caught) => caught)

  expect(`${error.message} ${error.stack}`).not.toMatch(/<html|x-api-key/i)
  expect(error.message).not.toContain(simulator.apiKey)
})
