import { afterEach, expect, test, vi } from 'vitest'
import { ApiError, api, onServiceUpdated, onSessionEnded, onSignInAgain, toApiError } from './api.ts'

type Sent = { url: string; init: RequestInit & { headers: Record<string, string> } }

/** Answers the next requests and records them. */
function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Sent[] {
  const sent: Sent[] = []
  vi.stubGlobal('fetch', async (url: string, init: Sent['init']) => {
    sent.push({ url, init })
    const text = body === undefined ? null : JSON.stringify(body)
    return new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } })
  })
  return sent
}

const problem = (error: string, more = {}) => ({ error, message: 'Words for people', request_id: 'r-1', ...more })

afterEach(() => void vi.unstubAllGlobals())

test('a creation is sent once as JSON, with its Idempotency-Key, the language and the session', async () => {
  const sent = answer(201, { id: '1-2' })

  const voucher = await api.createVoucher({ site_id: 1, name: 'Room 204' }, { idempotencyKey: 'guest-1' })

  expect(voucher).toEqual({ id: '1-2' })
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({ url: '/api/v2/vouchers', init: { method: 'POST' } })
  expect(sent[0]?.init.headers).toMatchObject({
    'Content-Type': 'application/json',
    'Idempotency-Key': 'guest-1',
    'Accept-Language': 'en',
  })
  expect(sent[0]?.init.headers).not.toHaveProperty('Authorization')
})

test('a change without a body has the content type that a session needs, a read has none', async () => {
  const sent = answer(204)
  await api.deleteSession()
  expect(sent[0]?.init.headers['Content-Type']).toBe('application/json')

  const read = answer(200, { person: null })
  await api.getSession()
  expect(read[0]?.init.headers['Content-Type']).toBeUndefined()
})

test('each request says how long nobody has used the page', async () => {
  const sent = answer(200, { person: null })
  await api.getSession()

  expect(sent[0]?.init.headers['Voucher-Idle-Seconds']).toMatch(/^\d+$/)
})

test('a failure has code, message, fields, request id, outcome and wait, and is not repeated', async () => {
  const errors = [{ field: 'name', code: 'required', message: 'name is missing', allowed: null }]
  const sent = answer(503, problem('unavailable', { errors }), { 'voucher-outcome': 'unknown', 'retry-after': '12' })

  const error = await api.createVoucher({ site_id: 1, name: '' }).catch(toApiError)

  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status: 503,
    error: 'unavailable',
    message: 'Words for people',
    errors,
    request_id: 'r-1',
    voucher_outcome: 'unknown',
    retry_after: 12,
  })
  expect(sent).toHaveLength(1)
})

test('no answer is a failure of its own', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('Failed to fetch')
  })

  expect(await api.getSession().catch(toApiError)).toMatchObject({ status: 0, error: 'no_answer' })
})

test.each([
  ['session_ended', 1],
  ['unauthorized', 1],
  ['sign_in_failed', 0],
])('401 %s tells the app %i times that the session has ended', async (code, times) => {
  const listener = vi.fn()
  const stop = onSessionEnded(listener)
  answer(401, problem(code))

  await expect(api.listSites()).rejects.toMatchObject({ error: code })
  stop()
  await expect(api.listSites()).rejects.toThrow()

  expect(listener).toHaveBeenCalledTimes(times)
})

test('an answer that names another script of the web app tells the app once that the service was updated', async () => {
  vi.stubGlobal('document', { querySelector: () => ({ getAttribute: () => '/assets/index-old.js' }) })
  const listener = vi.fn()
  const stop = onServiceUpdated(listener)
  const callsAfter = async (script?: string) => {
    answer(200, { person: null }, script === undefined ? {} : { 'web-app': script })
    await api.getSession()
    return listener.mock.calls.length
  }
  const calls = [
    await callsAfter(),
    await callsAfter('/assets/index-old.js'),
    await callsAfter('/assets/index-new.js'),
    await callsAfter('/assets/index-new.js'),
    await callsAfter('/assets/index-newer.js'),
  ]
  stop()

  expect(calls).toEqual([0, 0, 1, 1, 2])
})

/** The service wants a new sign-in first. It accepts the request after that. */
function answerAfterSignIn(): Sent[] & { isSignedIn?: boolean } {
  const sent: Sent[] & { isSignedIn?: boolean } = []
  vi.stubGlobal('fetch', async (url: string, init: Sent['init']) => {
    init.signal?.throwIfAborted()
    sent.push({ url, init })
    return sent.isSignedIn ? Response.json({ id: 'k-1' }) : Response.json(problem('sign_in_again'), { status: 403 })
  })
  return sent
}

test('a request that needs a new sign-in waits for it and is then sent again, with the same body', async () => {
  const sent = answerAfterSignIn()
  const stop = onSignInAgain(async () => {
    sent.isSignedIn = true
    return true
  })

  const key = await api.createKey({ name: 'Shop', scope: 'read' })
  stop()

  expect(key).toEqual({ id: 'k-1' })
  expect(sent).toHaveLength(2)
  expect(sent[1]).toMatchObject({ url: sent[0]?.url, init: { body: sent[0]?.init.body, method: 'POST' } })
  expect(sent[1]?.init.headers).toEqual(sent[0]?.init.headers)
  expect(sent[1]?.init.signal).not.toBe(sent[0]?.init.signal) // somebody may take longer than a request
})

test('a request asks again if the service did not accept the new sign-in', async () => {
  const sent = answerAfterSignIn()
  const ask = vi.fn(async () => {
    sent.isSignedIn = ask.mock.calls.length === 2
    return true
  })
  const stop = onSignInAgain(ask)

  expect(await api.createKey({ name: 'Shop', scope: 'read' })).toEqual({ id: 'k-1' })
  stop()
  expect(sent).toHaveLength(3)
})

test('a request fails with `sign_in_again` if the person did not sign in again, or if nobody can ask', async () => {
  const sent = answerAfterSignIn()
  const change = () => api.updateMe({ name: 'Anna' })
  const stop = onSignInAgain(async () => false)

  await expect(change()).rejects.toMatchObject({ status: 403, error: 'sign_in_again' })
  stop()
  await expect(change()).rejects.toMatchObject({ status: 403, error: 'sign_in_again' })
  expect(sent).toHaveLength(2)
})
