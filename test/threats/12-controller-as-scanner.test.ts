import { createServer } from 'node:http'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import type { ControllerError } from '#drivers/driver.ts'
import { readCertificate } from '#drivers/http-base/connector.ts'
import { unifiIntegration } from '#drivers/unifi-integration/driver.ts'
import type { AddressPolicy } from '#lib/address-policy.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { createAndClaim, directAccess } from '#test/drivers.ts'
import { report } from '#test/measuring.ts'
import { distantLoopbackHosts, forbiddenHosts, loopbackHosts } from '#test/network/hosts.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { type Listener, listen, startListener } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startService } from '#test/service.ts'

const [api, postgres, redis, other] = [
  await startListener(),
  await startListener(),
  await startListener(),
  await startListener(),
]
const listeners = [api, postgres, redis, other]
const ownPorts = [api, postgres, redis].map(({ port }) => port)
const policy = policyFor(ownPorts)
const names = ['localhost', 'LOCALHOST']
const interfaceHosts = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses.map(({ address }) => address))
  .flatMap((address) => (isIPv6(address) ? [`[${address}]`] : [address, `[::ffff:${address}]`]))
const ownHosts = [...loopbackHosts, ...distantLoopbackHosts, ...interfaceHosts, ...names]
const shape = { name: 'x', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const notAllowed = {
  name: 'ControllerError',
  failure: 'unreachable',
  outcome: 'refused',
  message: 'The address of the controller is not allowed',
}

function policyFor(ports: number[]): AddressPolicy {
  const [port = 0, postgresPort, redisPort] = ports
  const databaseUrl = `postgres://localhost:${postgresPort}/vouchers`
  return createControllerAddressPolicy({ port, databaseUrl, redisUrl: `redis://localhost:${redisPort}` })
}

/** The result or the error of a creation on a controller with this address. */
async function learn(address: string, addressPolicy = policy) {
  const connection = unifiIntegration.connect({
    address,
    credentials: { apiKey: 'k' },
    certificatePin: null,
    ...directAccess(),
    addressPolicy,
  })
  const learned = await createAndClaim(connection, { site: 'default', shape }).catch(describe)
  await connection.close()
  return learned
}

function describe({ name, failure, outcome, message }: ControllerError) {
  return { name, failure, outcome, message }
}

function connectionsTo(all: Listener[]): number {
  return all.reduce((sum, { connections }) => sum + connections, 0)
}

/** The different results and errors of these addresses. */
async function learnAll(hosts: string[], ports: number[], addressPolicy = policy) {
  const addresses = ['http', 'https'].flatMap((scheme) =>
    ports.flatMap((port) => hosts.map((host) => `${scheme}://${host}:${port}`)),
  )
  const learned = await Promise.all(addresses.map((address) => learn(address, addressPolicy)))
  const different = new Map(learned.map((each) => [JSON.stringify(each), each]))
  return { addresses: addresses.length, different: [...different.values()] }
}

test('forbidden addresses and own ports get no connection, and all have the same error, whatever listens there', async () => {
  const closed = [await freePort(), await freePort(), await freePort()]
  const runs = [
    await learnAll(forbiddenHosts, [...ownPorts, other.port, ...closed]),
    await learnAll(ownHosts, ownPorts),
    await learnAll(ownHosts, closed, policyFor(closed)),
  ]
  const tried = runs.reduce((sum, { addresses }) => sum + addresses, 0)
  report(`connections by ${tried} forbidden addresses of controllers`, connectionsTo(listeners))

  expect(runs.map(({ different }) => different)).toEqual([[notAllowed], [notAllowed], [notAllowed]])
  expect(connectionsTo(listeners)).toBe(0)
})

test('the same hosts reach ports that are not own ports, and any port without a policy', async () => {
  const before = other.connections
  for (const host of [...loopbackHosts, ...names]) await learn(`http://${host}:${other.port}`)
  const reached = other.connections - before
  for (const host of [...loopbackHosts, ...names]) await learn(`http://${host}:${api.port}`, { allows: () => true })
  for (const host of ['0.0.0.0', '0', '[::ffff:0.0.0.0]'])
    await learn(`http://${host}:${postgres.port}`, { allows: () => true })

  expect(reached).toBeGreaterThanOrEqual(loopbackHosts.length + names.length)
  expect(api.connections).toBeGreaterThanOrEqual(loopbackHosts.length + names.length)
  expect(postgres.connections).toBeGreaterThanOrEqual(3)
})

test('a controller on this machine works', async () => {
  const simulator = await startSimulator()
  const connection = unifiIntegration.connect({
    address: simulator.url,
    credentials: { apiKey: simulator.apiKey },
    certificatePin: null,
    ...directAccess(),
    addressPolicy: policy,
  })
  onFileEnd(() => connection.close())

  expect(await createAndClaim(connection, { site: 'default', shape })).toHaveLength(1)
})

test('a redirect by an allowed controller is not followed', async () => {
  const before = connectionsTo(listeners)
  const server = createServer((_request, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${api.port}/` }).end(),
  )

  expect(await learn(`http://127.0.0.1:${await listen(server)}`)).toMatchObject({
    failure: 'rejected',
    outcome: 'refused',
  })
  expect(connectionsTo(listeners)).toBe(before)
})

test('reading a certificate follows the same policy', async () => {
  const before = connectionsTo(listeners)
  const hosts = [...forbiddenHosts, ...ownHosts]
  const learned = await Promise.all(
    hosts.map((host) => readCertificate(new URL(`https://${host}:${redis.port}`), policy).catch(describe)),
  )

  expect(learned).toEqual(hosts.map(() => notAllowed))
  expect(connectionsTo(listeners)).toBe(before)
})

test('neither the running service nor its commands call the service itself', async () => {
  const db = await createTestDatabase()
  const port = String(await freePort())
  const service = await startService(db.url, { PORT: port })
  const { key } = await seedKey(db, { scope: 'write' })
  const create = async (url: string) => {
    const site = await seedControlledSite(db, { url, apiKey: 'k' })
    const body = JSON.stringify({ site_id: site, name: 'x' })
    return call(`${service.url}/api/vouchers.php`, { method: 'POST', headers: { 'x-api-key': key }, body })
  }
  const itself = await create(`http://localhost:${port}`)
  const nobody = await create(`http://localhost:${await freePort()}`)
  const shown = await runCommand(db.url, ['controllers', 'fingerprint', `https://localhost:${port}`], {
    env: { PORT: port },
  })

  expect([itself.status, itself.text]).toEqual([nobody.status, nobody.text])
  expect(itself.headers['voucher-outcome']).toBe('none')
  expect(service.log.filter((line) => line.includes(notAllowed.message))).toHaveLength(1)
  expect([shown.exitCode, shown.stderr]).toEqual([1, expect.stringContaining(notAllowed.message)])
})
