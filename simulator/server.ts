import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { answer } from './answer.ts'
import { type ControllerOptions, createSimulator } from './simulator.ts'
import type { Site } from './store/voucher.ts'
import { createSelfSigned } from './tls/self-signed.ts'

export type SimulatorOptions = ControllerOptions & { port?: number | undefined; https?: boolean | undefined }

export type RunningSimulator = {
  url: string
  pathPrefix: string | undefined
  apiKey: string
  username: string
  password: string
  sites: readonly Site[]
  /** Of the certificate; undefined without HTTPS. */
  fingerprint256: string | undefined
  close(): Promise<void>
}

const keepAliveMs = 60_000

export async function startSimulator({
  port = 0,
  https,
  ...options
}: SimulatorOptions = {}): Promise<RunningSimulator> {
  const simulator = createSimulator(options)
  const listener: RequestListener = (request, response) => {
    answer(simulator, request, response).catch(() => response.destroy())
  }
  const identity = https ? createSelfSigned() : undefined
  const settings = { keepAliveTimeout: keepAliveMs }
  const server = identity
    ? createTlsServer({ ...settings, key: identity.key, cert: identity.certificate }, listener)
    : createServer(settings, listener)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${identity ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pathPrefix: options.pathPrefix,
    apiKey: simulator.apiKey,
    ...simulator.account,
    sites: simulator.store.sites,
    fingerprint256: identity?.fingerprint256,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
