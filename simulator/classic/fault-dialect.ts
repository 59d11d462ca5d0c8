import type { Dialect } from '../faults/dialect.ts'
import type { Operation } from '../faults/fault.ts'
import { isObject, type JsonObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'
import { withRetryAfter } from '../http/with-retry-after.ts'
import type { Simulator } from '../simulator.ts'
import { failure, ok } from './meta-reply.ts'
import type { Session } from './sessions.ts'

export function classicDialect(
  { flavour, behaviour }: Simulator,
  { operation, session }: { operation: Operation; session?: Session },
): Dialect {
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
    rightStatus: 200,
    listOpening: '{"meta":{"rc":"ok"},"data":',
    // The answer to a creation has no code: its second is all there is to find it by.
    codeMember: operation === 'create' ? 'create_time' : 'code',
    changeVouchers: operation === 'create' || operation === 'list' ? changeData : (reply) => reply,
  }
}

function changeData(reply: Reply, change: (item: JsonObject) => JsonObject): Reply {
  const { json } = reply
  if (!isObject(json) || !Array.isArray(json['data'])) return reply
  return { ...reply, json: { ...json, data: json['data'].map(change) } }
}
