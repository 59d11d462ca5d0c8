import type { Operation } from '../faults/fault-queue.ts'
import type { FaultReplies } from '../faults/run-with-faults.ts'
import { isObject, type JsonObject } from '../http/json.ts'
import { type Reply, withRetryAfter } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import type { Session } from './sessions.ts'

/** A success in the envelope of the classic API. */
export function ok(data: unknown[] = [], meta: object = {}): Reply {
  return { status: 200, json: { meta: { rc: 'ok', ...meta }, data } }
}

/** An error in the envelope of the classic API. */
export function failure(status: number, msg: string, data: unknown[] = []): Reply {
  return { status, json: { meta: { rc: 'error', msg }, data } }
}

export function classicFaultReplies(
  { flavour, behaviour }: Simulator,
  { operation, session }: { operation: Operation; session?: Session },
): FaultReplies {
  const isLogin = operation === 'login'
  return {
    refuse: () => (isLogin ? flavour.wrongCredentials(behaviour) : failure(400, 'api.err.InvalidArgs')),
    unauthorized() {
      if (session) session.closed = true
      return flavour.sessionLost(behaviour)
    },
    forbidden: () => failure(403, 'api.err.NoPermission'),
    notFound: () => failure(404, 'api.err.NotFound'),
    tooMany: () => (isLogin ? flavour.tooManyLogins : withRetryAfter(failure(429, 'api.err.TooManyRequests'), 1)),
    serverError: () => failure(500, 'api.err.ServerError'),
    gatewayError: flavour.gatewayError,
    empty: () => ok(),
    successStatus: 200,
    listOpening: '{"meta":{"rc":"ok"},"data":',
    // The answer to a creation has no code. Clients find their vouchers by the second of the creation.
    codeMember: operation === 'create' ? 'create_time' : 'code',
    changeVouchers: operation === 'create' || operation === 'list' ? changeData : (reply) => reply,
  }
}

function changeData(reply: Reply, change: (item: JsonObject) => JsonObject): Reply {
  const { json } = reply
  if (!isObject(json) || !Array.isArray(json['data'])) return reply
  return { ...reply, json: { ...json, data: json['data'].map(change) } }
}
