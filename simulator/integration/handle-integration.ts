import { type Performance, perform } from '../faults/perform.ts'
import type { Call } from '../http/call.ts'
import { gatewayError } from '../http/gateway-error.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { ApiError, applicationError } from './api-error.ts'
import { integrationDialect } from './fault-dialect.ts'
import { findAction } from './routes.ts'

export const integrationPrefix = '/proxy/network/integration'

/** One request of the official Network Integration API: key, then a fault if one is waiting, then the work. */
export function handleIntegration(simulator: Simulator, call: Call): Performance {
  if (call.headers['x-api-key'] !== simulator.apiKey) return { outcome: gatewayError(401) }

  const { path, query, body } = call
  const origin = { path, nowMs: simulator.store.clock.now() }
  const { operation, handle, params } = findAction(call.method, path.slice(integrationPrefix.length))
  const work = (): Reply => {
    try {
      if (call.text === undefined) throw new ApiError({ status: 413, message: 'The body is too large' })
      const contentType = call.headers['content-type']
      return handle(simulator, { params, query: new URLSearchParams(query), contentType, body })
    } catch (error) {
      if (error instanceof ApiError) return applicationError(error, origin)
      throw error
    }
  }
  return perform(simulator.faults, { operation, work, dialect: integrationDialect(operation, origin) })
}
