import type { Delivery } from '../faults/deliver.ts'
import type { Operation } from '../faults/fault-queue.ts'
import { type FaultReplies, runWithFaults } from '../faults/run-with-faults.ts'
import { isObject, type JsonObject } from '../http/json.ts'
import type { Call } from '../http/receive-call.ts'
import { type Reply, withRetryAfter } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { ApiError, applicationError, type Origin } from './api-error.ts'
import type { Gateway } from './gateway.ts'
import { findAction } from './routes.ts'

/** Answers a request of the official Network Integration API. Checks the key before a fault or the work. */
export function handleIntegration(simulator: Simulator, call: Call): Delivery {
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
  return runWithFaults(faults, { operation, work, replies: integrationFaultReplies({ operation, origin, gateway }) })
}

type Exchange = { operation: Operation; origin: Origin; gateway: Gateway }

function integrationFaultReplies({ operation, origin, gateway }: Exchange): FaultReplies {
  const failure = (status: number, message: string) => applicationError(new ApiError({ status, message }), origin)
  const successStatus = operation === 'create' ? 201 : 200
  return {
    refuse: () => failure(400, 'The request was refused'),
    unauthorized: () => gateway.error(401),
    forbidden: () => gateway.error(403),
    notFound: () => failure(404, 'Not found'),
    tooMany: () => withRetryAfter(gateway.limitsRequests ? gateway.error(429) : failure(429, 'Too many requests'), 1),
    serverError: () => failure(500, 'Internal error'),
    gatewayError: gateway.error,
    empty: () => ({ status: successStatus, json: emptyAnswers[operation] }),
    successStatus,
    listOpening: '{"vouchers":',
    codeMember: 'code',
    changeVouchers,
  }
}

const emptyAnswers: Record<Operation, unknown> = {
  create: { vouchers: [] },
  list: { offset: 0, limit: 100, count: 0, totalCount: 0, data: [] },
  delete: { vouchersDeleted: 0 },
  guests: {},
  unauthorize: {},
  login: {},
  other: {},
}

/** Changes the vouchers in the reply to a creation, to a list or to a request for one voucher. */
function changeVouchers(reply: Reply, change: (voucher: JsonObject) => JsonObject): Reply {
  const { json } = reply
  if (!isObject(json)) return reply
  const changeAll = (list: unknown) => (Array.isArray(list) ? list.map(change) : list)
  if ('vouchers' in json) return { ...reply, json: { ...json, vouchers: changeAll(json['vouchers']) } }
  if ('data' in json) return { ...reply, json: { ...json, data: changeAll(json['data']) } }
  return { ...reply, json: 'timeLimitMinutes' in json ? change(json) : json }
}
