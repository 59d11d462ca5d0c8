import type { FaultKind, Operation } from '../faults/fault.ts'
import type { Outcome } from '../faults/outcome.ts'
import { isObject, type JsonObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'
import { ApiError, applicationError, gatewayError } from './api-error.ts'

/** `work` does what was asked and returns the right reply; a fault that leaves it out changes nothing. */
type Exchange = { work: () => Reply; operation: Operation; path: string; nowMs: number }

const deepLevels = 100_000
const page = '<!DOCTYPE html><html><head><title>UniFi</title></head><body><h1>Please wait</h1></body></html>'
const emptyAnswers: Record<Operation, unknown> = {
  create: { vouchers: [] },
  list: { offset: 0, limit: 100, count: 0, totalCount: 0, data: [] },
  delete: { vouchersDeleted: 0 },
  other: {},
}

export const faultOutcomes: Record<FaultKind, (exchange: Exchange) => Outcome> = {
  refuse: (exchange) => refusal(exchange, 400, 'The request was refused'),
  unauthorized: () => gatewayError(401),
  forbidden: () => gatewayError(403),
  'not-found': (exchange) => refusal(exchange, 404, 'Not found'),
  'too-many': (exchange) => ({ ...refusal(exchange, 429, 'Too many requests'), headers: { 'retry-after': '1' } }),
  'server-error': (exchange) => refusal(exchange, 500, 'Internal error'),
  'gateway-html': () => html(502),
  'html-ok': () => html(200),
  empty: ({ operation }) => ({ status: rightStatus(operation), json: emptyAnswers[operation] }),
  'no-code': ({ work }) => withVouchers(work(), ({ code, ...rest }) => rest),
  'bad-code': ({ work }) => withVouchers(work(), (voucher) => ({ ...voucher, code: '<script>' })),
  truncated: ({ work }) => truncated(work()),
  'created-then-reset': ({ work }) => afterwards(work, 'reset'),
  'created-then-error': (exchange) => afterwards(exchange.work, refusal(exchange, 500, 'Internal error')),
  reset: () => 'reset',
  'hang-before': () => 'hang',
  'hang-after': ({ work }) => afterwards(work, 'hang'),
  slow: ({ work }) => work(),
  huge: () => 'huge',
  'extra-fields': ({ work }) => extended(work()),
  deep: ({ operation }) => ({
    status: rightStatus(operation),
    text: `{"vouchers":${'['.repeat(deepLevels)}${']'.repeat(deepLevels)}}`,
  }),
}

function refusal({ path, nowMs }: Exchange, status: number, message: string): Reply {
  return applicationError(new ApiError({ status, message }), { path, nowMs })
}

function html(status: number): Reply {
  return { status, headers: { 'content-type': 'text/html' }, text: page }
}

function rightStatus(operation: Operation): number {
  return operation === 'create' ? 201 : 200
}

function afterwards(work: () => Reply, outcome: Outcome): Outcome {
  work()
  return outcome
}

/** HTTP is in order, so the caller learns of it only from the JSON. */
function truncated(reply: Reply): Reply {
  const text = JSON.stringify(reply.json)
  return { ...reply, text: text.slice(0, text.length / 2), headers: { ...reply.headers, connection: 'close' } }
}

function extended(reply: Reply): Reply {
  const extra = { unknownText: 'extra', unknownObject: { list: [1, null, true] } }
  const { json, ...rest } = withVouchers(reply, (voucher) => ({ ...voucher, ...extra }))
  return { ...rest, json: isObject(json) ? { ...json, ...extra } : json }
}

/** Changes the vouchers of a reply, whether created, listed or read one by one. */
function withVouchers(reply: Reply, change: (voucher: JsonObject) => JsonObject): Reply {
  const { json } = reply
  if (!isObject(json)) return reply
  const changed = (list: unknown) => (Array.isArray(list) ? list.map(change) : list)
  if ('vouchers' in json) return { ...reply, json: { ...json, vouchers: changed(json['vouchers']) } }
  if ('data' in json) return { ...reply, json: { ...json, data: changed(json['data']) } }
  return { ...reply, json: 'timeLimitMinutes' in json ? change(json) : json }
}
