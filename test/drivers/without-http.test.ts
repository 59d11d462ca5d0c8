import { randomInt, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import { findStoredController } from '#domain/controllers/controllers.queries.ts'
import { createControllers } from '#domain/controllers/controllers.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { setController } from '#domain/sites/set-controller.ts'
import {
  type ControllerConnection,
  ControllerError,
  type ControllerVoucher,
  cannotDisconnect,
  type Driver,
  formattedCode,
  type VoucherShape,
} from '#drivers/driver.ts'
import { explainFailure } from '#drivers/layer-check.ts'
import { verify } from '#drivers/verification/verify.ts'
import { machineClock } from '#lib/clock.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { testActor } from '#test/data/seed.ts'
import { addressPolicy, createAndClaim } from '#test/drivers.ts'
import { testKeyring as keyring } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { testSite } from '../../src/commands/sites/sites.ts'

/** The controllers of the driver below: a password and vouchers by id, in the memory of this process. */
type MemoryController = { password: string; vouchers: Map<string, ControllerVoucher> }
const memory = new Map<string, MemoryController>()

/** A driver that uses no HTTP, to prove that the interface of drivers does not require it. An address is `memory:` and a name. */
const memoryDriver: Driver = {
  about: 'Vouchers in the memory of this process',
  address: {
    rule: 'begin with memory:',
    example: 'memory:lobby',
    parse(text) {
      const [, name, extras] = /^memory:([a-z]+)(.*)$/i.exec(text) ?? []
      if (name === undefined) return { problem: 'malformed' }
      return extras === '' ? { address: `memory:${name.toLowerCase()}` } : { problem: 'has_extras' }
    },
    hasCertificate: () => false,
  },
  credentials: 'login',
  bounds: { quotaMb: { min: 0, max: 0 } },
  connect({ address, credentials, clock }): ControllerConnection {
    let requests = 0

    function open(): MemoryController['vouchers'] {
      requests += 1
      const controller = memory.get(address)
      if (!controller) throw new ControllerError('unreachable', 'refused', 'No such memory')
      if (!('password' in credentials) || credentials.password !== controller.password)
        throw new ControllerError('sign_in', 'refused', 'The password is wrong')
      return controller.vouchers
    }

    return {
      async *create(_site, shape, count) {
        const vouchers = open()
        const created = Array.from({ length: count }, () => newVoucher(shape, clock.now()))
        for (const voucher of created) vouchers.set(voucher.id as string, voucher)
        yield created
      },
      async *list() {
        yield [...open().values()]
      },
      async *listNamed(_site, name) {
        yield [...open().values()].filter(({ shape }) => shape.name === name)
      },
      findByCode: async (_site, code) => [...open().values()].filter((voucher) => voucher.code === code),
      async delete(_site, ids) {
        const vouchers = open()
        for (const id of ids) vouchers.delete(id)
      },
      disconnect: cannotDisconnect,
      probe: async () => void open(),
      version: async () => '1.0',
      async sites() {
        open()
        return [{ ids: ['default'], name: 'Lobby' }]
      },
      clockAheadMs: () => 0,
      measuredAheadMs: () => 0,
      requestCount: () => requests,
      close: async () => {},
    }
  },
  async reach({ address }) {
    if (!memory.has(address)) throw new ControllerError('unreachable', 'refused', 'No such memory')
  },
  layerChecks: ({ address, connect, controllerSite }) => [
    {
      layers: ['memory'],
      run: async () => [
        memory.has(address)
          ? { layer: 'memory', result: 'ok', detail: 'found' }
          : { layer: 'memory', result: 'failed', cause: 'no_connection', detail: `Nothing is at ${address}` },
      ],
    },
    {
      layers: ['password', 'vouchers'],
      run: async () => {
        try {
          await connect().probe(controllerSite ?? 'default')
        } catch (error) {
          return [{ layer: 'password', ...explainFailure(error as ControllerError) }]
        }
        return [
          { layer: 'password', result: 'ok' },
          { layer: 'vouchers', result: 'ok', detail: 'can be read' },
        ]
      },
    },
  ],
}

function newVoucher(shape: VoucherShape, createdAt: Date): ControllerVoucher {
  const code = String(randomInt(10 ** 10)).padStart(10, '0')
  return {
    id: randomUUID(),
    code,
    formattedCode: formattedCode(code),
    shape,
    usedCount: 0,
    createdAt,
    stampedAt: createdAt,
    firstUsedAt: null,
    expiresAt: null,
    expired: false,
    isOurs: true,
  }
}

const db = await createTestDatabase()
const drivers = { memory: memoryDriver }
const controllers = createControllers({ drivers, db, keyring, addressPolicy, clock: machineClock })
onFileEnd(() => controllers.close())

const shape = { name: 'Gast', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const lobby = {
  name: 'Lobby',
  driver: 'memory',
  address: 'memory:LOBBY',
  credentials: { username: 'api', password: 'right' },
}
memory.set('memory:lobby', { password: 'right', vouchers: new Map() })
const added = await addController({ db, keyring, drivers }, testActor, lobby)
const { id: siteId } = await addSite(db, testActor, {
  name: 'Lobby',
  controller: 'Lobby',
  controllerSite: 'default',
  active: true,
})

async function connectToLobby(): Promise<ControllerConnection> {
  const access = await findStoredController(db, 'Lobby')
  if (!access) throw new Error('The controller is not recorded')
  return controllers.connectionOf(access)
}

test('the address is recorded in the form of the driver', async () => {
  expect(added.address).toBe('memory:lobby')
})

test.each([
  [{ address: 'https://192.168.1.1' }, 'controller_address_unreadable'],
  [{ address: 'memory:lobby?password=x' }, 'controller_address_with_extras'],
  [{ certificatePin: Buffer.alloc(32) }, 'certificate_pin_without_tls'],
])('%j is rejected', async (change, code) => {
  const context = { db, keyring, drivers }

  await expect(addController(context, testActor, { ...lobby, ...change, name: 'Other' })).rejects.toThrow(code)
  await expect(setController(context, testActor, 'Lobby', change)).rejects.toThrow(code)
})

test('vouchers are created, listed and deleted', async () => {
  const connection = await connectToLobby()
  const created = await createAndClaim(connection, { site: 'default', shape, count: 3 })
  const [first, ...others] = created.map(({ id }) => id as string)
  await connection.delete('default', [first as string])
  const left: (string | null)[] = []
  for await (const vouchers of connection.listNamed('default', 'Gast')) left.push(...vouchers.map(({ id }) => id))

  expect(left).toEqual(others)
})

test('controllers verify: runs every step and counts the requests', async () => {
  const { steps, leftBehind, controllerVersion } = await verify(await connectToLobby(), { site: 'default', shape })

  expect(steps.map(({ step, result, calls }) => [step, result, calls])).toEqual([
    ['probe', 'ok', 1],
    ['version', 'ok', 0],
    ['list', 'ok', 1],
    ['create', 'ok', 1],
    ['find', 'ok', 1],
    ['delete', 'ok', 1],
    ['gone', 'ok', 1],
  ])
  expect([leftBehind, controllerVersion]).toEqual([false, '1.0'])
})

test('sites test: the layers are those of the driver', async () => {
  const run = async () =>
    (await testSite({ db, controllers, addressPolicy }, siteId)).map(({ layer, result }) => [layer, result])
  const whileRight = await run()
  memory.set('memory:lobby', { password: 'changed', vouchers: new Map() })
  const whileWrong = await run()
  memory.delete('memory:lobby')

  expect(whileRight).toEqual([
    ['memory', 'ok'],
    ['password', 'ok'],
    ['vouchers', 'ok'],
  ])
  expect(whileWrong).toEqual([
    ['memory', 'ok'],
    ['password', 'failed'],
    ['vouchers', 'not tried'],
  ])
  expect(await run()).toEqual([
    ['memory', 'failed'],
    ['password', 'not tried'],
    ['vouchers', 'not tried'],
  ])
})
