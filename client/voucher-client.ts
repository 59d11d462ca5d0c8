import { callWithRetries } from './call-with-retries.ts'
import { type Operation, operations, type VoucherApi } from './voucher-api.generated.ts'

export type * from './voucher-api.generated.ts'
export { VoucherApiError } from './voucher-api-error.ts'
export { listAll, waitUntilDone } from './wait-and-list.ts'

export type ClientSettings = {
  /** The address of API v2: `https://vouchers.example.com/api/v2`. */
  url: string
  /** An API key. Without it, the browser sends the session of the person who is signed in. */
  key?: string
  /** The language of messages. The default is English. */
  language?: 'en' | 'de'
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch
} & RetrySettings

export type RetrySettings = {
  /** The largest number of attempts for a request, including the first one. The default is 10. */
  maxAttempts?: number
  /** How long one attempt may take. The default is 30 seconds. */
  timeoutMs?: number
  /**
   * How long the client repeats a request whose outcome the service is still finding out (409 `idempotency_in_progress`). These
   * attempts do not count for `maxAttempts`. The default is 5 minutes: after a failure in the middle of a creation, the service
   * may need three.
   */
  outcomeWithinMs?: number
  /** A request fails at once if the service asks for a longer wait than this. The default is 60 seconds. */
  maxWaitMs?: number
}

/** Options of one call. They take precedence over the settings of the client. */
export type CallOptions = RetrySettings & {
  /** Identifies the request. Pass your own to repeat a request after your program restarted. The default is a new UUID. */
  idempotencyKey?: string
  /** Ends the call, including its retries. */
  signal?: AbortSignal
}

/** A client of API v2 with one method for each operation, named after its `operationId`. */
export function createVoucherClient(settings: ClientSettings): VoucherApi {
  const methods = Object.entries<Operation>(operations).map(([name, operation]) => [
    name,
    (...args: unknown[]) => callOperation(settings, operation, args),
  ])
  return Object.fromEntries(methods) as VoucherApi
}

/** Sends the request with one Idempotency-Key for all attempts. */
function callOperation(settings: ClientSettings, operation: Operation, args: unknown[]): Promise<unknown> {
  const { method, path, input, idempotencyKey } = operation
  const rest = [...args]
  const filledPath = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())))
  const askedKey = idempotencyKey === 'required' ? String(rest.shift()) : undefined
  const given = input ? rest.shift() : undefined
  const options = (rest.shift() ?? {}) as CallOptions
  const key = idempotencyKey === 'accepted' ? (options.idempotencyKey ?? crypto.randomUUID()) : askedKey
  const query = input === 'query' ? queryString(given as Query) : ''
  return callWithRetries(
    { ...settings, ...options },
    {
      url: `${settings.url.replace(/\/+$/, '')}${filledPath}${query}`,
      method,
      headers: {
        ...(settings.key !== undefined && { Authorization: `Bearer ${settings.key}` }),
        'Accept-Language': settings.language ?? 'en',
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...(input === 'body' && { 'Content-Type': 'application/json' }),
      },
      ...(input === 'body' && { body: JSON.stringify(given) }),
      ...(input === 'file' && { body: given as Blob }), // its type becomes the Content-Type
    },
  )
}

type Query = Record<string, unknown> | undefined

/** A list repeats its parameter. Undefined values are left out. */
function queryString(query: Query): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    for (const one of [value].flat()) if (one !== undefined) pairs.append(name, String(one))
  return pairs.size === 0 ? '' : `?${pairs}`
}
