import { htmlPage } from '../http/html-page.ts'
import { isObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'
import { withRetryAfter } from '../http/with-retry-after.ts'
import type { Dialect } from './dialect.ts'
import type { FaultKind } from './fault.ts'
import type { Outcome } from './outcome.ts'

/** `work` does what was asked and returns the right reply; a fault that leaves it out changes nothing. */
type Exchange = { work: () => Reply; dialect: Dialect }

const unavailableSeconds = 5
const deepLevels = 100_000

export const faultOutcomes: Record<FaultKind, (exchange: Exchange) => Outcome> = {
  refuse: ({ dialect }) => dialect.refuse(),
  unauthorized: ({ dialect }) => dialect.unauthorized(),
  forbidden: ({ dialect }) => dialect.forbidden(),
  'not-found': ({ dialect }) => dialect.notFound(),
  'too-many': ({ dialect }) => dialect.tooMany(),
  'server-error': ({ dialect }) => dialect.serverError(),
  'gateway-html': () => htmlPage(502),
  'gateway-timeout': ({ work, dialect }) => afterwards(work, dialect.gatewayError(504)),
  unavailable: ({ dialect }) => withRetryAfter(dialect.gatewayError(503), unavailableSeconds),
  'html-ok': () => htmlPage(200),
  empty: ({ dialect }) => dialect.empty(),
  'no-code': ({ work, dialect }) => dialect.changeVouchers(work(), ({ [dialect.codeMember]: _, ...rest }) => rest),
  'bad-code': ({ work, dialect }) =>
    dialect.changeVouchers(work(), (voucher) => ({ ...voucher, [dialect.codeMember]: '<script>' })),
  truncated: ({ work }) => truncated(work()),
  'created-then-reset': ({ work }) => afterwards(work, 'reset'),
  'created-then-error': ({ work, dialect }) => afterwards(work, dialect.serverError()),
  reset: () => 'reset',
  'hang-before': () => 'hang',
  'hang-after': ({ work }) => afterwards(work, 'hang'),
  slow: ({ work }) => work(),
  'slow-drip': ({ work }) => work(),
  huge: ({ dialect }) => ({ hugeAfter: dialect.listOpening }),
  'extra-fields': ({ work, dialect }) => extended(work(), dialect),
  deep: ({ dialect }) => ({
    status: dialect.rightStatus,
    text: `${dialect.listOpening}${'['.repeat(deepLevels)}${']'.repeat(deepLevels)}}`,
  }),
}

function afterwards(work: () => Reply, outcome: Outcome): Outcome {
  work()
  return outcome
}

/** HTTP is in order, so the caller learns of it only from the JSON. */
function truncated(reply: Reply): Reply {
  const text = reply.text ?? JSON.stringify(reply.json)
  return { ...reply, text: text.slice(0, text.length / 2), headers: { ...reply.headers, connection: 'close' } }
}

function extended(reply: Reply, dialect: Dialect): Reply {
  const extra = { unknownText: 'extra', unknownObject: { list: [1, null, true] } }
  const { json, ...rest } = dialect.changeVouchers(reply, (voucher) => ({ ...voucher, ...extra }))
  return { ...rest, json: isObject(json) ? { ...json, ...extra } : json }
}
