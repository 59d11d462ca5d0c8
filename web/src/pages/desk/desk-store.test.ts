import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Voucher, VoucherCreation, VoucherOutcome } from '../../../../client/voucher-api.generated.ts'
import { ApiError } from '../../api.ts'
import { createDeskStore } from './desk-store.ts'
import { limitsOf } from './form/desk-input.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const input = { name: 'Room 204', choice: 't1', limits: limitsOf(undefined, 'UTC') }
const request: VoucherCreation = { site_id: 1, name: 'Room 204', template_id: 't1' }
const voucher = { id: '1-a', formatted_code: '48273-91056' } as Voucher
const lost = new ApiError('no_answer', 'There was no answer')

/** A desk whose service gives these answers in turn. `stored` is what the tab kept from before. */
function openDesk(answers: { creations: unknown[]; outcomes?: unknown[] }, stored = new Map<string, string>()) {
  const sent: string[] = []
  const asked: string[] = []
  const give = async (list: unknown[]) => {
    const answer = list.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  const store = createDeskStore({
    api: {
      createVoucher: (_, options) => {
        sent.push(options?.idempotencyKey ?? '')
        return give(answers.creations) as Promise<Voucher>
      },
      getVoucherOutcome: (key) => {
        asked.push(key)
        return give(answers.outcomes ?? []) as Promise<VoucherOutcome>
      },
    },
    storage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, text) => void stored.set(key, text) },
    personId: 'anna',
    isOnline: () => true,
  })
  return { store, sent, asked, stored, kind: () => store.getState().current?.status.kind }
}

test('two clicks send one request', async () => {
  const { store, sent, kind } = openDesk({ creations: [voucher] })
  store.submit(request, input)
  store.submit(request, input)
  await vi.runAllTimersAsync()

  expect([sent.length, kind()]).toEqual([1, 'made'])
})

test('a lost connection is found out by itself, with the key of the request', async () => {
  const outcomes = [{ outcome: 'running' }, lost, { outcome: 'made', voucher }]
  const { store, sent, asked, kind } = openDesk({ creations: [lost], outcomes })
  store.submit(request, input)
  await vi.runAllTimersAsync()

  expect(kind()).toBe('made')
  expect(asked).toEqual([sent[0], sent[0], sent[0]])
  expect(sent).toHaveLength(1)
})

test('after too many requests it sends again by itself, with the same key', async () => {
  const limited = new ApiError('rate_limited', '', { status: 429, retry_after: 12 })
  const { store, sent, kind } = openDesk({ creations: [limited, voucher] })
  store.submit(request, input)
  await vi.advanceTimersByTimeAsync(11_000)
  expect([sent.length, kind()]).toEqual([1, 'limited'])
  await vi.advanceTimersByTimeAsync(1_000)

  expect([new Set(sent).size, sent.length, kind()]).toEqual([1, 2, 'made'])
})

test('after a sign-in a request that the ended session rejected is sent again, with the same key', async () => {
  const ended = new ApiError('session_ended', '', { status: 401 })
  const { store, sent, kind } = openDesk({ creations: [ended, voucher] })
  store.submit(request, input)
  await vi.runAllTimersAsync()
  expect(kind()).toBe('signed-out')
  store.resume()
  await vi.runAllTimersAsync()

  expect([sent[0] === sent[1], sent.length, kind()]).toEqual([true, 2, 'made'])
})

test('a session that ends while the outcome is open goes on after the sign-in', async () => {
  const ended = new ApiError('session_ended', '', { status: 401 })
  const { store, asked, kind } = openDesk({ creations: [lost], outcomes: [ended, { outcome: 'made', voucher }] })
  store.submit(request, input)
  await vi.runAllTimersAsync()
  expect([asked.length, kind()]).toEqual([1, 'unknown'])
  store.resume()
  await vi.runAllTimersAsync()

  expect(kind()).toBe('made')
})

test('a reload during a creation asks for its outcome and sends nothing', async () => {
  const before = openDesk({ creations: [new Promise(() => {})] })
  before.store.submit(request, input)
  const { store, sent, asked, kind } = openDesk(
    { creations: [], outcomes: [{ outcome: 'made', voucher }] },
    before.stored,
  )
  store.resume()
  await vi.runAllTimersAsync()

  expect([kind(), asked, sent]).toEqual(['made', before.sent, []])
})

test('another person in the same tab does not get the creations of the first', () => {
  const { store, stored } = openDesk({ creations: [new Promise(() => {})] })
  store.submit(request, input)

  expect([...stored.keys()]).toEqual(['vs.desk.anna'])
})

test('a creation that the desk left settles while the next guest is served', async () => {
  const outcomes = [{ outcome: 'running' }, { outcome: 'made', voucher }]
  const { store, kind } = openDesk({ creations: [lost], outcomes })
  store.submit(request, input)
  await vi.advanceTimersByTimeAsync(0)
  store.next()
  await vi.runAllTimersAsync()

  expect(kind()).toBeUndefined()
  expect(store.getState().aside.map(({ status }) => status.kind)).toEqual(['made'])
})
