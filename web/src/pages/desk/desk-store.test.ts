import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Voucher, VoucherCreation } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { createDeskStore } from './desk-store.ts'
import { limitsOf } from './form/desk-input.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const input = { name: 'Room 204', choice: 't1', limits: limitsOf(undefined, 'UTC') }
const request: VoucherCreation = { site_id: 1, name: 'Room 204', template_id: 't1' }
const voucher = { id: '1-a', formatted_code: '48273-91056' } as Voucher

/** An answer of the service. `lost`: the connection breaks. `never`: the request stays open without an answer. */
type Reply = { status: number; body: object; headers?: Record<string, string> } | 'lost' | 'never'

const created: Reply = { status: 201, body: voucher }
const made: Reply = { status: 200, body: { outcome: 'made', voucher } }
const running: Reply = { status: 200, body: { outcome: 'running', voucher: null } }
const ended: Reply = { status: 401, body: { error: 'session_ended', message: '', request_id: 'r' } }

/** A desk whose service gives these answers in turn. `stored` is what the tab kept from before. */
function openDesk(answers: { creations: Reply[]; outcomes?: Reply[] }, stored = new Map<string, string>()) {
  const sent: string[] = []
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Record<string, string> }) => {
    const isOutcome = url.endsWith('/vouchers/outcome')
    ;(isOutcome ? asked : sent).push(headers['Idempotency-Key'] ?? '')
    return respond((isOutcome ? answers.outcomes : answers.creations)?.shift() ?? 'never')
  })
  const store = createDeskStore({
    api,
    storage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, text) => void stored.set(key, text) },
    personId: 'anna',
    isOnline: () => true,
  })
  return { store, sent, asked, stored, kind: () => store.getState().current?.status.kind }
}

async function respond(reply: Reply): Promise<Response> {
  if (reply === 'never') return new Promise(() => {})
  if (reply === 'lost') throw new TypeError('Failed to fetch')
  const { status, body, headers = {} } = reply
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}

test('two clicks send one request', async () => {
  const { store, sent, kind } = openDesk({ creations: [created] })
  store.submit(request, input)
  store.submit(request, input)
  await vi.runAllTimersAsync()

  expect([sent.length, kind()]).toEqual([1, 'made'])
})

test('after a lost connection, the desk asks for the outcome by itself, with the key of the request', async () => {
  const outcomes = [running, 'lost', made] satisfies Reply[]
  const { store, sent, asked, kind } = openDesk({ creations: ['lost'], outcomes })
  store.submit(request, input)
  await vi.runAllTimersAsync()

  expect(kind()).toBe('made')
  expect(asked).toEqual([sent[0], sent[0], sent[0]])
  expect(sent).toHaveLength(1)
})

test('after too many requests, the desk sends again by itself, with the same key', async () => {
  const body = { error: 'rate_limited', message: '', request_id: 'r' }
  const limited: Reply = { status: 429, body, headers: { 'retry-after': '12' } }
  const { store, sent, kind } = openDesk({ creations: [limited, created] })
  store.submit(request, input)
  await vi.advanceTimersByTimeAsync(11_000)
  expect([sent.length, kind()]).toEqual([1, 'limited'])
  await vi.advanceTimersByTimeAsync(1_000)

  expect([new Set(sent).size, sent.length, kind()]).toEqual([1, 2, 'made'])
})

test('after a sign-in a request that the ended session rejected is sent again, with the same key', async () => {
  const { store, sent, kind } = openDesk({ creations: [ended, created] })
  store.submit(request, input)
  await vi.runAllTimersAsync()
  expect(kind()).toBe('signed-out')
  store.resume()
  await vi.runAllTimersAsync()

  expect([sent[0] === sent[1], sent.length, kind()]).toEqual([true, 2, 'made'])
})

test('if the session ends while the outcome is open, the desk asks again after the sign-in', async () => {
  const { store, asked, kind } = openDesk({ creations: ['lost'], outcomes: [ended, made] })
  store.submit(request, input)
  await vi.runAllTimersAsync()
  expect([asked.length, kind()]).toEqual([1, 'unknown'])
  store.resume()
  await vi.runAllTimersAsync()

  expect(kind()).toBe('made')
})

test('while the service is unavailable the desk says so, and the repeat afterwards has the same key', async () => {
  const unavailable: Reply = { status: 503, body: { error: 'unavailable', message: 'Later.', request_id: 'r' } }
  const none: Reply = { status: 200, body: { outcome: 'none', voucher: null } }
  const { store, sent, kind } = openDesk({ creations: [unavailable, created], outcomes: [unavailable, none] })
  store.submit(request, input)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(store.getState().current?.status).toMatchObject({ kind: 'unknown', trouble: 'unavailable' })
  await vi.advanceTimersByTimeAsync(1_000)
  const { current } = store.getState()
  expect(current).toMatchObject({ input, status: { kind: 'none', problem: { message: 'Later.' } } })
  store.submit(request, input)
  await vi.runAllTimersAsync()

  expect([kind(), new Set(sent).size, sent.length]).toEqual(['made', 1, 2])
})

test('a reload during a creation asks for its outcome and sends nothing', async () => {
  const before = openDesk({ creations: ['never'] })
  before.store.submit(request, input)
  const { store, sent, asked, kind } = openDesk({ creations: [], outcomes: [made] }, before.stored)
  store.resume()
  await vi.runAllTimersAsync()

  expect([kind(), asked, sent]).toEqual(['made', before.sent, []])
})

test('another person in the same tab does not get the creations of the first', () => {
  const { store, stored } = openDesk({ creations: ['never'] })
  store.submit(request, input)

  expect([...stored.keys()]).toEqual(['vs.desk.anna'])
})

test('a creation that the desk left settles while the next guest is served', async () => {
  const outcomes = [running, made]
  const { store, kind } = openDesk({ creations: ['lost'], outcomes })
  store.submit(request, input)
  await vi.advanceTimersByTimeAsync(0)
  store.next()
  await vi.runAllTimersAsync()

  expect(kind()).toBeUndefined()
  expect(store.getState().aside.map(({ status }) => status.kind)).toEqual(['made'])
})

test('input that was typed and not sent survives a reload, for each site', () => {
  const { store, stored } = openDesk({ creations: [] })
  store.keepInput(1, input)
  store.keepInput(2, { ...input, name: 'Room 7' })
  store.keepInput(3, undefined)
  const again = openDesk({ creations: [] }, stored).store

  expect([1, 2, 3, 4].map((site) => again.keptInput(site)?.name)).toEqual(['Room 204', 'Room 7', undefined, undefined])
})
