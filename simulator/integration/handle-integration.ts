import type { IncomingMessage, ServerResponse } from 'node:http'
import { deliver, type Outcome } from '../faults/outcome.ts'
import { wait } from '../faults/wait.ts'
import { parseJson } from '../http/json.ts'
import { readBody } from '../http/read-body.ts'
import type { Reply } from '../http/reply.ts'
import type { Target } from '../http/target.ts'
import type { Simulator } from '../simulator.ts'
import { ApiError, applicationError, gatewayError } from './api-error.ts'
import { faultOutcomes } from './fault-outcomes.ts'
import { findAction } from './routes.ts'

export const integrationPrefix = '/proxy/network/integration'

/** One request of the official Network Integration API: key, then a fault if one is waiting, then the work. */
export async function handleIntegration(
  simulator: Simulator,
  { request, response, target }: { request: IncomingMessage; response: ServerResponse; target: Target },
): Promise<void> {
  const { store, faults, requests } = simulator
  const method = request.method ?? ''
  const { path, query } = target
  const entry = requests.add({ atMs: store.clock.now(), method, path, query })
  const text = await readBody(request)
  const body = text ? parseJson(text) : undefined
  if (text) requests.addBody(entry, text, body)

  const answer = (outcome: Outcome) => {
    entry.status = deliver(response, outcome)
  }
  if (request.headers['x-api-key'] !== simulator.apiKey) return answer(gatewayError(401))

  const { operation, handle, params } = findAction(method, path.slice(integrationPrefix.length))
  const work = (): Reply => {
    try {
      if (text === undefined) throw new ApiError({ status: 413, message: 'The body is too large' })
      const contentType = request.headers['content-type']
      return handle(store, { params, query: new URLSearchParams(query), contentType, body })
    } catch (error) {
      if (error instanceof ApiError) return applicationError(error, { path, nowMs: store.clock.now() })
      throw error
    }
  }
  const fault = faults.take(operation)
  if (!fault) return answer(work())

  const outcome = faultOutcomes[fault.kind]({ work, operation, path, nowMs: store.clock.now() })
  if (fault.delayMs > 0) await wait(response, fault.delayMs)
  answer(outcome)
}
