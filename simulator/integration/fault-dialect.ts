import type { Dialect } from '../faults/dialect.ts'
import type { Operation } from '../faults/fault.ts'
import { isObject, type JsonObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'
import { withRetryAfter } from '../http/with-retry-after.ts'
import { ApiError, applicationError, type Origin } from './api-error.ts'
import type { Gateway } from './gateway.ts'

const emptyAnswers: Record<Operation, unknown> = {
  create: { vouchers: [] },
  list: { offset: 0, limit: 100, count: 0, totalCount: 0, data: [] },
  delete: { vouchersDeleted: 0 },
  login: {},
  other: {},
}

type Exchange = { operation: Operation; origin: Origin; gateway: Gateway }

export function integrationDialect({ operation, origin, gateway }: Exchange): Dialect {
  const refusal = (status: number, message: string) => applicationError(new ApiError({ status, message }), origin)
  const rightStatus = operation === 'create' ? 201 : 200
  return {
    refuse: () => refusal(400, 'The request was refused'),
    unauthorized: () => gateway.error(401),
    forbidden: () => gateway.error(403),
    notFound: () => refusal(404, 'Not found'),
    tooMany: () => withRetryAfter(gateway.limitsRequests ? gateway.error(429) : refusal(429, 'Too many requests'), 1),
    serverError: () => refusal(500, 'Internal error'),
    gatewayError: gateway.error,
    empty: () => ({ status: rightStatus, json: emptyAnswers[operation] }),
    rightStatus,
    listOpening: '{"vouchers":',
    codeMember: 'code',
    changeVouchers,
  }
}

/** Changes the vouchers of a reply, whether created, listed or read one by one. */
function changeVouchers(reply: Reply, change: (voucher: JsonObject) => JsonObject): Reply {
  const { json } = reply
  if (!isObject(json)) return reply
  const changed = (list: unknown) => (Array.isArray(list) ? list.map(change) : list)
  if ('vouchers' in json) return { ...reply, json: { ...json, vouchers: changed(json['vouchers']) } }
  if ('data' in json) return { ...reply, json: { ...json, data: changed(json['data']) } }
  return { ...reply, json: 'timeLimitMinutes' in json ? change(json) : json }
}
