import { VoucherApiError } from '../../client/voucher-api-error.ts'
import { createVoucherClient } from '../../client/voucher-client.ts'
import { currentLanguage } from './i18n/i18n.ts'
import { secondsSinceUse } from './last-use.ts'

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

/**
 * Sends a request with the headers that a session needs, and notifies listeners when the session has ended. If the service wants the
 * person to sign in again first, the request waits for that and is then sent again.
 */
async function send(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const isPlain = init.method === 'GET' || init.body !== undefined // a body has its type already
  const headers = {
    ...(!isPlain && { 'Content-Type': 'application/json' }),
    ...(init.headers as object),
    'Voucher-Idle-Seconds': String(secondsSinceUse()),
  }
  const answer = await fetch(url, { ...init, headers })
  noticeUpdate(answer.headers.get('Web-App'))
  const code = answer.status === 401 || answer.status === 403 ? await codeOf(answer) : ''
  // A rejected sign-in is also answered with 401, but then no session has ended.
  if (code === 'session_ended' || code === 'unauthorized') for (const listener of listeners) listener()
  if (code !== 'sign_in_again' || !(await confirmPerson())) return answer
  return send(url, { ...init, signal: AbortSignal.timeout(30_000) }) // the time of the first attempt has passed in the dialog
}

async function codeOf(answer: Response): Promise<unknown> {
  const body = await answer
    .clone()
    .json()
    .catch(() => null)
  return body?.error
}

let ask: (() => Promise<boolean>) | undefined

/** Asks the person to sign in again, and returns whether they did. */
export async function confirmPerson(): Promise<boolean> {
  return (await ask?.()) === true
}

/**
 * Sets the function that asks the person to sign in again and returns whether they did. Returns a function that removes it. If
 * they did not, the call fails with `sign_in_again`.
 */
export function onSignInAgain(askPerson: () => Promise<boolean>): () => void {
  ask = askPerson
  return () => {
    ask = undefined
  }
}

const listeners = new Set<() => void>()

/** Calls `listener` when a call failed because nobody is signed in any more. Returns a function that stops it. */
export function onSessionEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const updateListeners = new Set<() => void>()
const knownScripts = new Set<string>()

/** Calls `listener` once for every update of the service: an answer names a script that is not the one of this page. */
export function onServiceUpdated(listener: () => void): () => void {
  updateListeners.add(listener)
  return () => updateListeners.delete(listener)
}

/** The development server has scripts with other names, which never change. */
function noticeUpdate(script: string | null): void {
  if (script === null) return
  const ofPage = () => document.querySelector('script[type="module"][src^="/assets/"]')?.getAttribute('src')
  if (knownScripts.size === 0) knownScripts.add(ofPage() ?? script)
  if (knownScripts.has(script)) return
  knownScripts.add(script)
  for (const listener of updateListeners) listener()
}

/** The failure as an `ApiError`. Any other error is a bug in the app. */
export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('unexpected_answer', String(error), {}, { cause: error })
}

/** A new Idempotency-Key. `crypto.randomUUID` does not exist on pages without TLS. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
