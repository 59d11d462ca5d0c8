import type { IncomingMessage, ServerResponse } from 'node:http'
import { handleClassic } from './classic/handle-classic.ts'
import { controlPrefix, handleControl } from './control/handle-control.ts'
import { deliver } from './faults/deliver.ts'
import type { Performance } from './faults/outcome.ts'
import { type Call, receiveCall } from './http/call.ts'
import { readTarget } from './http/target.ts'
import { handleIntegration } from './integration/handle-integration.ts'
import type { Simulator } from './simulator.ts'

export async function answer(simulator: Simulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = readTarget(request.url ?? '/')
  if (isUnder(controlPrefix, target.path)) return handleControl(simulator, { request, response, path: target.path })

  const { store, requests } = simulator
  const { call, entry } = await receiveCall({ requests, nowMs: store.clock.now() }, { request, target })
  response.setHeader('date', new Date(store.clock.now()).toUTCString())
  if (simulator.behaviour.hang) return simulator.held.hold(response)
  await deliver(response, handle(simulator, call), entry)
}

function handle(simulator: Simulator, call: Call): Performance {
  const { behaviour, flavour, gateway } = simulator
  if (behaviour.booting) return { outcome: gateway.away() }
  if (flavour.hasIntegrationApi && isUnder(gateway.integrationPath, call.path)) {
    return { ...handleIntegration(simulator, call), gzip: behaviour.gzipUnlabelled }
  }
  return gateway.servesClassicApi ? handleClassic(simulator, call) : { outcome: gateway.error(404) }
}

function isUnder(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}
