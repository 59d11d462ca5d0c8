import { VoucherApiError } from '../../client/voucher-api-error.ts'
import { createVoucherClient } from '../../client/voucher-client.ts'
import { currentLanguage } from './i18n/i18n.ts'

/**
 * Every failure of a call: `error` is the code, with `message`, `errors` (invalid fields), `request_id`, `voucher_outcome`
 * and `retry_after`. If there was no answer, `error` is `no_answer`.
 */
export const ApiError = VoucherApiError
export type ApiError = VoucherApiError

/**
 * Calls API v2 as the person who is signed in. Each method has the name of its operation and never repeats a request by
 * itself. Creations take `{ idempotencyKey }` as their last argument.
 */
export const api = createVoucherClient({
  url: '/api/v2',
  get language() {
    return currentLanguage()
  },
  maxAttempts: 1,
  fetch: send,
})

/** Sends a request with the headers that a session needs, and notifies listeners when the session has ended. */
async function send(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const isPlain = init.method === 'GET' || init.body !== undefined // a body has its type already
  const headers = isPlain ? init.headers : { 'Content-Type': 'application/json', ...(init.headers as object) }
  const answer = await fetch(url, { ...init, ...(headers && { headers }) })
  if (answer.status === 401 && (await isOfSession(answer))) for (const listener of listeners) listener()
  return answer
}

/** A rejected sign-in is also answered with 401, but then no session has ended. */
async function isOfSession(answer: Response): Promise<boolean> {
  const { error } = await answer
    .clone()
    .json()
    .catch(() => ({}))
  return error === 'session_ended' || error === 'unauthorized'
}

const listeners = new Set<() => void>()

/** Calls `listener` when a call failed because nobody is signed in any more. Returns a function that stops it. */
export function onSessionEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The failure as an `ApiError`. Any other error is a bug in the app. */
export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('unexpected_answer', String(error), {}, { cause: error })
}

/** A new Idempotency-Key. `crypto.randomUUID` does not exist on pages without TLS. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
