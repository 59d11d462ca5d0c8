import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { handleClassic } from './classic/handle-classic.ts'
import { controlPrefix, handleControl } from './control/handle-control.ts'
import { type Delivery, deliver } from './faults/deliver.ts'
import { type Call, readTarget, receiveCall } from './http/receive-call.ts'
import { handleIntegration } from './integration/handle-integration.ts'
import { createSelfSignedCertificate } from './self-signed-certificate.ts'
import { type ControllerOptions, createSimulator, type Simulator } from './simulator.ts'
import type { Site } from './store/voucher.ts'

export type SimulatorOptions = ControllerOptions & { port?: number | undefined; https?: boolean | undefined }

export type RunningSimulator = {
  url: string
  pathPrefix: string | undefined
  apiKey: string
  username: string
  password: string
  sites: readonly Site[]
  /** The fingerprint of the certificate; undefined without HTTPS. */
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
  const identity = https ? await createSelfSignedCertificate() : undefined
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

async function answer(simulator: Simulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = readTarget(request.url ?? '/')
  if (isUnder(controlPrefix, target.path)) return handleControl(simulator, { request, response, path: target.path })

  const { store, requests } = simulator
  const { call, entry } = await receiveCall({ requests, nowMs: store.clock.now() }, { request, target })
  response.setHeader('date', new Date(store.clock.now()).toUTCString())
  if (simulator.behaviour.hang) return hold(simulator, response)
  await deliver(response, handle(simulator, call), entry)
}

/** Leaves the connection open without an answer, until a test ends the behaviour `hang`. */
function hold({ heldResponses }: Simulator, response: ServerResponse): void {
  heldResponses.add(response)
  response.once('close', () => heldResponses.delete(response))
}

function handle(simulator: Simulator, call: Call): Delivery {
  const { behaviour, flavour, gateway } = simulator
  if (behaviour.booting) return { outcome: gateway.applicationDown() }
  if (flavour.hasIntegrationApi && isUnder(gateway.integrationPath, call.path)) {
    return { ...handleIntegration(simulator, call), gzip: behaviour.gzipUnlabelled }
  }
  return gateway.servesClassicApi ? handleClassic(simulator, call) : { outcome: gateway.error(404) }
}

function isUnder(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}
