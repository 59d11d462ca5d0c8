import { errorOf, VoucherApiError } from './voucher-api-error.ts'
import type { ClientSettings, RetrySettings } from './voucher-client.ts'

type Settings = RetrySettings & Pick<ClientSettings, 'fetch'> & { signal?: AbortSignal }
type Request = { url: string; method: string; headers: Record<string, string>; body?: string | Blob }

/** Sends a request until it is answered, and repeats it only if a repeat can help and cannot do harm. */
export async function callWithRetries(settings: Settings, request: Request): Promise<unknown> {
  const { maxAttempts = 10, maxWaitMs = 60_000, outcomeWithinMs = 300_000, signal } = settings
  const outcomeUntil = performance.now() + outcomeWithinMs
  for (let attempt = 1; ; ) {
    try {
      return await sendOnce(settings, request)
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof VoucherApiError) || !canRepeat(request, error)) throw error
      const waitMs = error.retry_after === null ? backoffMs(attempt) : error.retry_after * 1000
      if (waitMs > maxWaitMs) throw error
      const isFindingOut = error.error === 'idempotency_in_progress'
      if (isFindingOut ? performance.now() + waitMs > outcomeUntil : ++attempt > maxAttempts) throw error
      await pause(waitMs, signal)
    }
  }
}

async function sendOnce(settings: Settings, { url, ...request }: Request): Promise<unknown> {
  const { fetch: send = fetch, timeoutMs = 30_000, signal } = settings
  const timeout = AbortSignal.timeout(timeoutMs)
  let answer: Response
  let content: Blob
  try {
    // A redirect would turn a POST into a GET and could carry the key to another server.
    answer = await send(url, {
      ...request,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    content = await answer.blob()
  } catch (cause) {
    const reason = timeout.aborted ? ` within ${timeoutMs} ms` : `: ${cause instanceof Error ? cause.message : cause}`
    throw new VoucherApiError('no_answer', `There was no answer${reason}`, {}, { cause })
  }
  if (answer.status === 204) return undefined
  if (answer.ok && /^(image\/|application\/zip$)/.test(content.type)) return content
  const text = await content.text()
  if (!answer.ok) throw errorOf(answer, text)
  if (answer.headers.get('Content-Type')?.startsWith('text/csv')) return text
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new VoucherApiError('unexpected_answer', 'The answer is not JSON', { status: answer.status }, { cause })
  }
}

/** Failures that stay the same when the request is repeated. */
const lasting = ['controller_refused', 'search_too_slow']

function canRepeat({ method, headers }: Request, { status, error }: VoucherApiError): boolean {
  if (status === 429 || error === 'idempotency_in_progress') return true // nothing was done
  const isOutcomeUnknown = error === 'no_answer' || (status >= 500 && !lasting.includes(error))
  const isSafe = method === 'GET' || method === 'DELETE' || 'Idempotency-Key' in headers
  return isOutcomeUnknown && isSafe
}

/** About 0.25, 0.5, 1, 2, … and finally 10 seconds. A random part keeps many clients from returning at the same moment. */
function backoffMs(attempt: number): number {
  return Math.min(250 * 2 ** (attempt - 1), 10_000) * (0.75 + Math.random() / 2)
}

export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const end = () => reject(signal?.reason)
  signal?.addEventListener('abort', end)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}
