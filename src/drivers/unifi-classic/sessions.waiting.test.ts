import { beforeEach, describe, expect, test } from 'vitest'
import { createAndClaim, directAccess, memorySession } from '#test/drivers.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import type { SharedSession } from '../driver.ts'
import { unifiClassic } from './driver.ts'

const shape = { name: 'Gast', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const asked = { site: 'default', shape }

describe.each(['console', 'self-hosted'])('%s', async (flavour) => {
  const simulator = await startSimulator('--flavour', flavour, '--login-limit', '0')
  beforeEach(() => simulator.forget())

  function connect(session: SharedSession = memorySession(), login = simulator.login) {
    const access = { address: simulator.url, credentials: login, certificatePin: null, ...directAccess(), session }
    const connection = unifiClassic.connect(access)
    onFileEnd(() => connection.close())
    return connection
  }

  const countSignIns = async () => (await simulator.signIns()).length

  test('one sign-in serves many calls, and every connection that shares the session', async () => {
    const session = memorySession()
    const [one, two] = [connect(session), connect(session)]
    for (let i = 0; i < 10; i++) await createAndClaim(one, asked)
    for (let i = 0; i < 10; i++) await createAndClaim(two, asked)

    expect(await countSignIns()).toBe(1)
  })

  test('an expired session: the driver signs in again, and exactly one voucher is made', async () => {
    const connection = connect()
    await connection.probe('default')
    await simulator.behave({ expireSessions: true })
    const before = (await simulator.vouchers()).length

    expect(await createAndClaim(connection, asked)).toHaveLength(1)
    expect((await simulator.vouchers()).length - before).toBe(1)
    expect(await countSignIns()).toBe(2)
  })

  test('a session that ends between the creation and the lookup is renewed, and the voucher is found', async () => {
    const connection = connect()
    await connection.probe('default')
    await simulator.behave({ expireSessions: 1 })
    const before = (await simulator.vouchers()).length

    expect(await createAndClaim(connection, asked)).toHaveLength(1)
    expect((await simulator.vouchers()).length - before).toBe(1)
  })

  test('a session that another connection renewed is taken over without signing in', async () => {
    const session = memorySession()
    const [one, two] = [connect(session), connect(session)]
    await one.probe('default')
    await two.probe('default')
    await simulator.behave({ expireSessions: true })
    await one.probe('default')
    await two.probe('default')

    expect(await countSignIns()).toBe(2)
  })

  test('repeated calls for an unknown site cost only one sign-in', async () => {
    const connection = connect()
    for (let i = 0; i < 5; i++)
      await expect(createAndClaim(connection, { site: 'nowhere', shape })).rejects.toMatchObject({
        failure: 'missing',
        outcome: 'refused',
      })

    expect(await countSignIns()).toBe(1)
  })

  test.each([
    ['a wrong password', {}, { username: 'api', password: 'wrong' }, 'sign_in'],
    ['a second factor', { mfa: true }, undefined, 'sign_in'],
    ['old firmware, a wrong password', { oldController: true }, { username: 'api', password: 'wrong' }, 'sign_in'],
    ['a booting controller', { booting: true }, undefined, 'failed'],
  ])('%s: nothing was made', async (_, behaviour, login, failure) => {
    await simulator.behave(behaviour)
    const connection = connect(memorySession(), login ?? simulator.login)

    await expect(createAndClaim(connection, asked)).rejects.toMatchObject({ failure, outcome: 'refused' })
    expect(await simulator.creates()).toBe(0)
  })

  test.each(['too-many', 'server-error', 'reset', 'html-ok', 'gateway-html', 'hang-before'])(
    'a sign-in with the fault %s: nothing was made',
    { timeout: 30_000 },
    async (kind) => {
      await simulator.fault(kind, { on: 'login' })

      await expect(createAndClaim(connect(), asked)).rejects.toMatchObject({ outcome: 'refused' })
      expect(await simulator.creates()).toBe(0)
    },
  )

  test('an administrator with read-only rights: creation and probe are forbidden', async () => {
    await simulator.behave({ readOnly: true })
    const connection = connect()

    await expect(createAndClaim(connection, asked)).rejects.toMatchObject({ failure: 'forbidden', outcome: 'refused' })
    await expect(connection.probe('default')).rejects.toMatchObject({ failure: 'forbidden' })
  })

  test.each([{ nullNotes: true }, { nullNotes: 'absent' }, { stringQuota: true }, { oldController: true }])(
    'a controller with %j: the voucher is still found',
    async (behaviour) => {
      await simulator.behave(behaviour)
      await simulator.clock({ advanceSeconds: 2 }) // a different second than the earlier vouchers
      const limits = { ...shape, downKbps: 500, quotaMb: 20 }
      const [voucher] = await createAndClaim(connect(), { site: 'default', shape: limits })
      const made = (await simulator.vouchers()).at(-1)

      expect(voucher?.code).toBe(made?.code)
    },
  )

  test('a creation and its lookup read little, however many vouchers are on the controller', async () => {
    await simulator.addVoucher({ internalReference: 'default', name: 'x', timeLimitMinutes: 60, count: 1_000 })
    const connection = connect()
    await connection.probe('default')
    await simulator.clock({ advanceSeconds: 2 })
    await simulator.forget()
    await createAndClaim(connection, asked)

    expect((await simulator.requests()).map(({ path }) => path.replace('/proxy/network', ''))).toEqual([
      '/api/s/default/cmd/hotspot',
      '/api/s/default/stat/voucher',
    ])
  })
})

describe('a console whose gateway answers 403 without an envelope', async () => {
  const simulator = await startSimulator('--login-limit', '0')
  const fiveMinutesMs = 5 * 60_000
  let clockAheadMs = 0
  beforeEach(async () => {
    clockAheadMs = 0
    await simulator.forget()
    await simulator.behave({ gateway403: true })
  })

  function connect(session: SharedSession = memorySession()) {
    const clock = { now: () => new Date(Date.now() + clockAheadMs) }
    const { url: address, login: credentials } = simulator
    const access = { address, credentials, certificatePin: null, ...directAccess(), session, clock }
    const connection = unifiClassic.connect(access)
    onFileEnd(() => connection.close())
    return connection
  }

  const countSignIns = async () => (await simulator.signIns()).length

  test('a lost session: one new sign-in, and exactly one voucher is made', async () => {
    const connection = connect()
    await connection.probe('default')
    clockAheadMs = fiveMinutesMs + 1_000
    await simulator.behave({ expireSessions: true })
    const before = (await simulator.vouchers()).length

    expect(await createAndClaim(connection, asked)).toHaveLength(1)
    expect((await simulator.vouchers()).length - before).toBe(1)
    expect(await countSignIns()).toBe(2)
  })

  test('a stale CSRF token: the token of another process is used, without a sign-in', async () => {
    await simulator.behave({ rotateCsrf: true })
    const session = memorySession()
    const both = [connect(session), connect(session)]
    for (let i = 0; i < 10; i++) expect(await createAndClaim(both[i % 2] as (typeof both)[0], asked)).toHaveLength(1)

    expect(await countSignIns()).toBe(1)
  })

  test('a permanent 403: at most one sign-in in five minutes, however many calls', async () => {
    const connection = connect()
    await connection.probe('default')
    await simulator.fault('unauthorized', { times: 1_000 })
    for (const minutes of [0, 1, 4, 6, 7, 10, 12]) {
      clockAheadMs = minutes * 60_000
      for (let i = 0; i < 3; i++)
        await expect(createAndClaim(connection, asked)).rejects.toMatchObject({
          failure: 'forbidden',
          outcome: 'refused',
        })
    }

    expect(await countSignIns()).toBe(3) // the first, and those of minutes 6 and 12
  })

  test('a 403 with an envelope means missing rights and is final, however old the session is', async () => {
    const connection = connect()
    await connection.probe('default')
    clockAheadMs = fiveMinutesMs + 1_000
    await simulator.fault('forbidden')

    await expect(createAndClaim(connection, asked)).rejects.toMatchObject({ failure: 'forbidden', outcome: 'refused' })
    expect([await countSignIns(), await simulator.creates()]).toEqual([1, 1])
  })
})

test('the CSRF token is sent to a self-hosted application that requires it', async () => {
  const simulator = await startSimulator('--flavour', 'self-hosted', '--login-limit', '0')
  await simulator.behave({ strictCsrf: true })
  const { url: address, login: credentials } = simulator
  const connection = unifiClassic.connect({
    address,
    credentials,
    certificatePin: null,
    ...directAccess(),
    session: memorySession(),
  })
  onFileEnd(() => connection.close())

  expect(await createAndClaim(connection, asked)).toHaveLength(1)
})

describe('CSRF tokens of a console', async () => {
  const simulator = await startSimulator('--login-limit', '0')
  beforeEach(() => simulator.forget())

  function connect(session: SharedSession) {
    const access = {
      address: simulator.url,
      credentials: simulator.login,
      certificatePin: null,
      ...directAccess(),
      session,
    }
    const connection = unifiClassic.connect(access)
    onFileEnd(() => connection.close())
    return connection
  }

  test.each(['both', 'header', 'cookie'])('a token that changes with every answer, given in %s', async (csrfIn) => {
    await simulator.behave({ rotateCsrf: true, csrfIn })
    const connection = connect(memorySession())
    for (let i = 0; i < 10; i++) expect(await createAndClaim(connection, asked)).toHaveLength(1)

    expect(await simulator.signIns()).toHaveLength(1)
  })

  test('a 401 with a new token still leads to a new sign-in', async () => {
    await simulator.behave({ csrfWith401: true })
    const connection = connect(memorySession())
    await connection.probe('default')
    await simulator.behave({ expireSessions: true })

    expect(await createAndClaim(connection, asked)).toHaveLength(1)
    expect(await simulator.signIns()).toHaveLength(2)
  })

  test('two connections in turn: each uses the token that the other received', async () => {
    await simulator.behave({ rotateCsrf: true })
    const session = memorySession()
    const before = (await simulator.vouchers()).length
    const both = [connect(session), connect(session)]
    for (let i = 0; i < 20; i++) expect(await createAndClaim(both[i % 2] as (typeof both)[0], asked)).toHaveLength(1)

    expect(await simulator.signIns()).toHaveLength(1)
    expect(await simulator.creates()).toBeGreaterThan(20) // includes rejected ones
    expect((await simulator.vouchers()).length - before).toBe(20)
  })
})
