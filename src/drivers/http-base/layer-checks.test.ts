import { once } from 'node:events'
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addressPolicy } from '#test/drivers.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import type { ControllerConnection, ControllerSite } from '../driver.ts'
import { diagnose } from '../layer-check.ts'
import { httpLayerChecks } from './layer-checks.ts'

const authorities = getCACertificates('default')

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  setDefaultCACertificates(authorities)
})

/** A controller whose certificate a public authority seems to have signed. It was made at this time. */
async function startTrusted(madeAt: Date): Promise<Simulator & { port: string }> {
  vi.setSystemTime(madeAt)
  const simulator = await startSimulator('--https')
  vi.useRealTimers()
  const { port } = new URL(simulator.url)
  const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const pem = socket.getPeerX509Certificate()?.toString() as string
  socket.destroy()
  setDefaultCACertificates([...authorities, pem])
  return { ...simulator, port }
}

async function check(address: string, connection?: Partial<ControllerConnection>) {
  const site = {
    address,
    certificatePin: null,
    addressPolicy,
    controllerSite: null,
    withholdCredentials: async () => (connection ? undefined : ('credentials_missing' as const)),
    connect: () => connection as ControllerConnection,
  }
  return Object.fromEntries((await diagnose(httpLayerChecks(site))).map((result) => [result.layer, result]))
}

test('a certificate of a public authority needs no pin', async () => {
  const { url } = await startTrusted(new Date())

  expect((await check(url))['tls']).toMatchObject({ result: 'ok', facts: { certificate: { trust: 'public' } } })
})

test('a certificate for another name', async () => {
  const { port } = await startTrusted(new Date())

  expect((await check(`https://[::ffff:127.0.0.1]:${port}`))['tls']).toMatchObject({
    result: 'failed',
    cause: 'certificate_for_other_name',
    facts: { certificate: { trust: 'untrusted' } },
  })
})

test('a certificate that has expired', async () => {
  const { url } = await startTrusted(new Date('2020-01-01'))

  expect((await check(url))['tls']).toMatchObject({ result: 'failed', cause: 'certificate_expired' })
})

test('an account that can see no site', async () => {
  const { url } = await startTrusted(new Date())
  const sites = async (): Promise<ControllerSite[]> => []

  expect(await check(url, { version: async () => '10.0.1', sites })).toMatchObject({
    'sign-in': { result: 'ok', facts: { version: '10.0.1' } },
    site: { result: 'failed', cause: 'no_sites' },
    hotspot: { result: 'not tried' },
  })
})
