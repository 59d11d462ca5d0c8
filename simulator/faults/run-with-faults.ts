import { isObject, type JsonObject } from '../http/json.ts'
import { htmlPage, type Reply, withRetryAfter } from '../http/reply.ts'
import type { Delivery, Outcome } from './deliver.ts'
import type { FaultKind, FaultQueue, Operation } from './fault-queue.ts'

/** The replies and the parts of replies that faults need, as one of the two APIs words them. */
export type FaultReplies = {
  refuse(): Reply
  unauthorized(): Reply
  forbidden(): Reply
  notFound(): Reply
  tooMany(): Reply
  serverError(): Reply
  /** An error of the gateway in front of the Network Application. */
  gatewayError(status: number): Reply
  /** The status of a success, without a result. */
  empty(): Reply
  successStatus: number
  /** The text of a successful answer up to its list. */
  listOpening: string
  /** The member from which a caller learns the code of a voucher. */
  codeMember: string
  changeVouchers(reply: Reply, change: (voucher: JsonObject) => JsonObject): Reply
}

/** `work` does what the request asks for and returns the reply. */
type Exchange = { work: () => Reply; replies: FaultReplies }

/** Does the work, unless a fault is waiting for this operation: then the fault decides. */
export function runWithFaults(
  faults: FaultQueue,
  { operation, mac, ...exchange }: Exchange & { operation: Operation; mac?: string | undefined },
): Delivery {
  const fault = faults.take(operation, mac)
  if (!fault) return { outcome: exchange.work() }
  const { kind, delayMs } = fault
  return { outcome: faultOutcomes[kind](exchange), delayMs, drip: kind === 'slow-drip' }
}

const unavailableSeconds = 5
const deepLevels = 100_000

/** A fault that does not call `work` changes nothing. */
const faultOutcomes: Record<FaultKind, (exchange: Exchange) => Outcome> = {
  refuse: ({ replies }) => replies.refuse(),
  unauthorized: ({ replies }) => replies.unauthorized(),
  forbidden: ({ replies }) => replies.forbidden(),
  'not-found': ({ replies }) => replies.notFound(),
  'too-many': ({ replies }) => replies.tooMany(),
  'server-error': ({ replies }) => replies.serverError(),
  'gateway-html': () => htmlPage(502),
  'gateway-timeout': ({ work, replies }) => workThen(work, replies.gatewayError(504)),
  unavailable: ({ replies }) => withRetryAfter(replies.gatewayError(503), unavailableSeconds),
  'html-ok': () => htmlPage(200),
  empty: ({ replies }) => replies.empty(),
  'no-code': ({ work, replies }) => replies.changeVouchers(work(), ({ [replies.codeMember]: _, ...rest }) => rest),
  'bad-code': ({ work, replies }) =>
    replies.changeVouchers(work(), (voucher) => ({ ...voucher, [replies.codeMember]: '<script>' })),
  truncated: ({ work }) => truncate(work()),
  'created-then-reset': ({ work }) => workThen(work, 'reset'),
  'created-then-error': ({ work, replies }) => workThen(work, replies.serverError()),
  reset: () => 'reset',
  'hang-before': () => 'hang',
  'hang-after': ({ work }) => workThen(work, 'hang'),
  slow: ({ work }) => work(),
  'slow-drip': ({ work }) => work(),
  huge: ({ replies }) => ({ hugeAfter: replies.listOpening }),
  'extra-fields': ({ work, replies }) => addUnknownFields(work(), replies),
  deep: ({ replies }) => ({
    status: replies.successStatus,
    text: `${replies.listOpening}${'['.repeat(deepLevels)}${']'.repeat(deepLevels)}}`,
  }),
}

function workThen(work: () => Reply, outcome: Outcome): Outcome {
  work()
  return outcome
}

/** The content length fits the shorter body, so only the JSON shows that something is missing. */
function truncate(reply: Reply): Reply {
  const text = reply.text ?? JSON.stringify(reply.json)
  return { ...reply, text: text.slice(0, text.length / 2), headers: { ...reply.headers, connection: 'close' } }
}

function addUnknownFields(reply: Reply, replies: FaultReplies): Reply {
  const extra = { unknownText: 'extra', unknownObject: { list: [1, null, true] } }
  const { json, ...rest } = replies.changeVouchers(reply, (voucher) => ({ ...voucher, ...extra }))
  return { ...rest, json: isObject(json) ? { ...json, ...extra } : json }
}
