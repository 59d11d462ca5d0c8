import { expect, test } from 'vitest'
import { createAndClaim, directAccess, memorySession } from '#test/drivers.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { unifiClassic } from './driver.ts'

const shape = { name: 'Gast', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const sites = ['--site', 'default=Default', '--site', 'branch=Branch']
const operator = ['--flavour', 'self-hosted', ...sites, '--hotspot-operator', 'branch']
const onBranch = { site: 'branch', shape }

function connect(simulator: Simulator, session = memorySession(), clock = directAccess().clock) {
  const { url: address, login: credentials } = simulator
  const access = { address, credentials, certificatePin: null, ...directAccess(), session, clock }
  const connection = unifiClassic.connect(access)
  onFileEnd(() => connection.close())
  return connection
}

const resultsOf = async (simulator: Simulator) => (await simulator.signIns()).map(({ result }) => result)

test('a hotspot operator is signed in by the second attempt, and makes, lists and deletes vouchers', async () => {
  const simulator = await startSimulator(...operator)
  const connection = connect(simulator)
  await connection.probe('branch')
  const [made] = await createAndClaim(connection, onBranch)
  await connection.delete('branch', [made?.id as string])
  const attempts = (await simulator.requests()).filter(({ path }) => path === '/api/login').map(({ body }) => body)

  expect((await simulator.vouchers()).map(({ deleted }) => deleted)).toEqual([true])
  expect(attempts).toEqual([
    { username: 'api', password: '[password]', remember: true },
    { username: 'api', password: '[password]', for_hotspot: true, site_name: 'branch' },
  ])
})

test('the session stores which sign-in worked, so four lost sessions cost only five sign-ins', async () => {
  const simulator = await startSimulator(...operator)
  const session = memorySession()
  for (let i = 0; i < 4; i++) {
    await createAndClaim(connect(simulator, session), onBranch)
    await simulator.behave({ expireSessions: true })
  }

  expect(await resultsOf(simulator)).toEqual(['wrong-credentials', 'ok', 'ok', 'ok', 'ok'])
})

test('an operator who became an administrator is signed in as an administrator', async () => {
  const simulator = await startSimulator('--flavour', 'self-hosted')
  const session = memorySession()
  const tokens = { flavour: 'self-hosted', cookie: 'lost', csrf: null, signedInAt: 0, hotspotSite: 'default' }
  await session.renew(null, async () => JSON.stringify(tokens))
  await createAndClaim(connect(simulator, session), { site: 'default', shape })

  expect(await resultsOf(simulator)).toEqual(['wrong-credentials', 'ok'])
})

test("a site that is not the operator's is reported as missing, without a new sign-in, however old the session is", async () => {
  const simulator = await startSimulator(...operator)
  let aheadMs = 0
  const connection = connect(simulator, memorySession(), { now: () => new Date(Date.now() + aheadMs) })
  await connection.probe('branch')
  aheadMs = 10 * 60_000

  await expect(createAndClaim(connection, { site: 'default', shape })).rejects.toMatchObject({
    failure: 'missing',
    outcome: 'refused',
  })
  expect(await resultsOf(simulator)).toEqual(['wrong-credentials', 'ok'])
})

test.each([
  ['self-hosted', ['wrong-credentials', 'wrong-credentials']],
  ['console', ['wrong-credentials']],
])('a wrong password, %s: rejected after %j', async (flavour, attempts) => {
  const simulator = await startSimulator('--flavour', flavour)
  const wrong = connect({ ...simulator, login: { username: 'api', password: 'wrong' } })

  await expect(wrong.probe('default')).rejects.toMatchObject({ failure: 'sign_in', outcome: 'refused' })
  expect(await resultsOf(simulator)).toEqual(attempts)
})

test('a second attempt that exceeds the limit is reported as busy; any other failure means a wrong password', async () => {
  const limited = await startSimulator(...operator, '--login-limit', '1')
  await expect(connect(limited).probe('branch')).rejects.toMatchObject({ failure: 'busy' })

  const failing = await startSimulator(...operator)
  for (const kind of ['refuse', 'server-error']) await failing.fault(kind, { on: 'login' })
  await expect(connect(failing).probe('branch')).rejects.toMatchObject({ failure: 'sign_in' })
})

test('a request for a second factor is not mistaken for a wrong password: there is one attempt', async () => {
  const simulator = await startSimulator('--flavour', 'self-hosted')
  await simulator.behave({ mfa: true })

  await expect(connect(simulator).probe('default')).rejects.toThrow('second factor')
  expect(await resultsOf(simulator)).toEqual(['mfa-required'])
})
