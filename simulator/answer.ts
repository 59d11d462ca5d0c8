import type { IncomingMessage, ServerResponse } from 'node:http'
import { handleClassic } from './classic/handle-classic.ts'
import { controlPrefix, handleControl } from './control/handle-control.ts'
import { deliver } from './faults/outcome.ts'
import type { Performance } from './faults/perform.ts'
import { wait } from './faults/wait.ts'
import { type Call, receiveCall } from './http/call.ts'
import { htmlPage } from './http/html-page.ts'
import { readTarget } from './http/target.ts'
import { handleIntegration, integrationPrefix } from './integration/handle-integration.ts'
import type { Simulator } from './simulator.ts'

export async function answer(simulator: Simulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = readTarget(request.url ?? '/')
  if (isUnder(controlPrefix, target.path)) return handleControl(simulator, { request, response, path: target.path })

  const { store, requests } = simulator
  const { call, entry } = await receiveCall({ requests, nowMs: store.clock.now() }, { request, target })
  const { outcome, delayMs = 0 } = handle(simulator, call)
  if (delayMs > 0) await wait(response, delayMs)
  entry.status = deliver(response, outcome)
}

function handle(simulator: Simulator, call: Call): Performance {
  if (simulator.behaviour.booting) return { outcome: htmlPage(502) }
  const isIntegration = simulator.flavour.hasIntegrationApi && isUnder(integrationPrefix, call.path)
  return isIntegration ? handleIntegration(simulator, call) : handleClassic(simulator, call)
}

function isUnder(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}
