import { afterEach, expect, test, vi } from 'vitest'
import { ApiError, api, onSessionEnded, toApiError } from './api.ts'

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
