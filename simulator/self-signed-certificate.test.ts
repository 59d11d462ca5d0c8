import { once } from 'node:events'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from './start-simulator.ts'

let simulator: RunningSimulator
afterEach(() => simulator.close())

test('the fingerprint of a running simulator is that of its certificate', async () => {
  simulator = await startSimulator({ https: true })
  expect(simulator.url).toMatch(/^https:/)

  const headers = { 'x-api-key': simulator.apiKey }
  const call = request(`${simulator.url}/proxy/network/integration/v1/info`, { rejectUnauthorized: false, headers })
  const [response] = await once(call.end(), 'response')
  const { fingerprint256, subjectaltname } = (response.socket as TLSSocket).getPeerCertificate()
  response.resume()
  expect(response.statusCode).toBe(200)
  expect(fingerprint256).toBe(simulator.fingerprint256)
  expect(fingerprint256).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  expect(subjectaltname).toContain('127.0.0.1')
})

test('the certificate is self-signed, and each start has a new one', async () => {
  simulator = await startSimulator({ https: true })

  await expect(once(request(simulator.url).end(), 'response')).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  const other = await startSimulator({ https: true })
  await other.close()
  expect(other.fingerprint256).not.toBe(simulator.fingerprint256)
})

test('without HTTPS there is no fingerprint', async () => {
  simulator = await startSimulator()

  expect(simulator.url).toMatch(/^http:/)
  expect(simulator.fingerprint256).toBeUndefined()
})
