import type { Performance } from '../faults/outcome.ts'
import { perform } from '../faults/perform.ts'
import type { Call } from '../http/call.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { ApiError, applicationError } from './api-error.ts'
import { integrationDialect } from './fault-dialect.ts'
import { findAction } from './routes.ts'

/** One request of the official Network Integration API: key, then a fault if one is waiting, then the work. */
export function handleIntegration(simulator: Simulator, call: Call): Performance {
  const { apiKey, behaviour, gateway, faults, store } = simulator
  if (call.headers['x-api-key'] !== apiKey) return { outcome: gateway.error(401) }

  const { query, body } = call
  const path = call.path.slice(gateway.integrationPath.length)
  const origin = { requestPath: `/integration${path}`, nowMs: store.clock.now(), version: behaviour.version }
  const { operation, handle, params } = findAction(call.method, path)
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
  return perform(faults, { operation, work, dialect: integrationDialect({ operation, origin, gateway }) })
}
