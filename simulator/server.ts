import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { controlPrefix, handleControl } from './control/handle-control.ts'
import { sendReply } from './http/reply.ts'
import { readTarget } from './http/target.ts'
import { gatewayError } from './integration/api-error.ts'
import { handleIntegration, integrationPrefix } from './integration/handle-integration.ts'
import { createSimulator, type Simulator } from './simulator.ts'
import type { Site } from './store/voucher.ts'

export type SimulatorOptions = { port?: number; apiKey?: string; sites?: Omit<Site, 'id'>[] }

export type RunningSimulator = { url: string; apiKey: string; sites: readonly Site[]; close(): Promise<void> }

const keepAliveMs = 60_000

export async function startSimulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  const { port = 0, apiKey = randomBytes(24).toString('base64url') } = options
  const simulator = createSimulator(apiKey, options.sites ?? [{ internalReference: 'default', name: 'Default' }])
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    answer(simulator, request, response).catch(() => response.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    sites: simulator.store.sites,
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
  if (isUnder(integrationPrefix, target.path)) return handleIntegration(simulator, { request, response, target })
  if (isUnder(controlPrefix, target.path)) return handleControl(simulator, { request, response, path: target.path })
  sendReply(response, gatewayError(404))
}

function isUnder(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}
