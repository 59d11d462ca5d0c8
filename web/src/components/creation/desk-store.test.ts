import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Revocation, Voucher, VoucherCreation } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { limitsOf } from './desk-input.ts'
import { createDeskStore } from './desk-store.ts'

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
const unavailable: Reply = { status: 503, body: { error: 'unavailable', message: 'Later.', request_id: 'r' } }
const ended: Reply = { status: 401, body: { error: 'session_ended', message: '', request_id: 'r' } }

/** A desk whose service gives these answers in turn. `stored` is what the tab kept from before. */
function openDesk(
  answers: { creations: Reply[]; outcomes?: Reply[]; revocations?: Reply[] },
  stored = new Map<string, string>(),
) {
  const [sent, asked, revoked]: [string[], string[], string[]] = [[], [], []]
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Record<string, string> }) => {
    const [keys, replies] = url.endsWith('/vouchers/outcome')
      ? [asked, answers.outcomes]
      : url.endsWith('/revocations')
        ? [revoked, answers.revocations]
        : [sent, answers.creations]
    keys.push(headers['Idempotency-Key'] ?? '')
    return respond(replies?.shift() ?? 'never')
  })
  const store = createDeskStore({
    api,
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, text) => void stored.set(key, text),
      removeItem: (key) => void stored.delete(key),
    },
    personId: 'anna',
  })
  const undone = () => store.getState().undos.map(({ status }) => status)
  return { store, sent, asked, revoked, stored, undone, kind: () => store.getState().current?.status.kind }
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

test.each([403, 404])('after a %i, the desk stops asking for the outcome; a reload asks once more', async (status) => {
  const refused: Reply = { status, body: { error: 'forbidden', message: '', request_id: 'r' } }
  const { store, asked, stored } = openDesk({ creations: ['lost'], outcomes: [running, refused, made] })
  store.submit(request, input)
  await vi.runAllTimersAsync()
  expect(asked).toHaveLength(2)
  expect(store.getState().current?.status).toMatchObject({ kind: 'unknown', trouble: 'refused' })

  const reloaded = openDesk({ creations: [], outcomes: [made] }, stored)
  reloaded.store.resume()
  await vi.runAllTimersAsync()
  expect([reloaded.asked.length, reloaded.kind()]).toEqual([1, 'made'])
})

test('a browser that calls itself offline decides nothing: the request may have arrived', async () => {
  vi.stubGlobal('navigator', { onLine: false })
  const { store, sent, asked, kind } = openDesk({ creations: ['lost'], outcomes: ['lost', made] })
  store.submit(request, input)
  await vi.advanceTimersByTimeAsync(0)
  expect(kind()).toBe('unknown')
  await vi.runAllTimersAsync()

  expect([kind(), sent.length, asked.length]).toEqual(['made', 1, 2])
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

test('input that was typed and not sent survives a reload', () => {
  const { store, stored } = openDesk({ creations: [] })
  store.keepInput(1, input)
  const again = openDesk({ creations: [] }, stored).store

  expect([1, 2].map((site) => again.keptInput(site))).toEqual([input, undefined])
})

test('a name that was typed moves to the site that is chosen next, and is gone at the first one', () => {
  const { store } = openDesk({ creations: [] })
  store.keepInput(1, input)
  expect(store.keptInput(2)).toEqual(input)
  store.keepInput(2, input)
  store.keepInput(2, undefined)

  expect([1, 2].map((site) => store.keptInput(site))).toEqual([undefined, undefined])
})

test('without a name, each site keeps its own choice', () => {
  const { store } = openDesk({ creations: [] })
  store.keepInput(1, { ...input, name: '' })
  expect(store.keptInput(2)).toBeUndefined()
  store.keepInput(2, { ...input, name: '', choice: 't2' })

  expect([1, 2].map((site) => store.keptInput(site)?.choice)).toEqual(['t1', 't2'])
})

const revocation = (facts: Partial<Revocation>): Reply => ({
  status: 202,
  body: { id: 'r1', state: 'running', total: 1, pending: 1, revoked: 0, ended: 0, kept: 0, failed: 0, ...facts },
})
const pending = revocation({})
const gone = revocation({ state: 'done', pending: 0, revoked: 1 })

/** A desk with a voucher that was just made. */
async function openResult(...revocations: Reply[]) {
  const desk = openDesk({ creations: [created, created], revocations })
  desk.store.submit(request, input)
  await vi.advanceTimersByTimeAsync(0)
  return desk
}

test('two presses on undo are one revocation; the desk calls the code revoked only when the revocation is done', async () => {
  const { store, revoked, undone, kind } = await openResult(pending, pending, gone)
  store.undo()
  store.undo()
  expect([kind(), undone()]).toEqual([undefined, ['sending']])
  await vi.advanceTimersByTimeAsync(0)
  expect(undone()).toEqual(['accepted'])
  await vi.runAllTimersAsync()

  expect(undone()).toEqual(['revoked'])
  expect([revoked.length, new Set(revoked).size]).toEqual([3, 1])
})

test('after an undo, the same text is sent with a new key', async () => {
  const { store, sent } = await openResult(gone)
  store.undo()
  await vi.runAllTimersAsync()
  store.submit(request, input)
  await vi.runAllTimersAsync()

  expect([sent.length, new Set(sent).size]).toEqual([2, 2])
  expect(store.getState().undos).toEqual([])
})

const rejected: Reply = { status: 404, body: { error: 'not_found', message: '', request_id: 'r' } }

test.each<[string, Reply[], string[]]>([
  ['a lost connection', ['lost', gone], ['lost', 'revoked']],
  ['a service that is unavailable', [unavailable, gone], ['lost', 'revoked']],
  ['a lost connection after the service accepted it', [pending, 'lost', gone], ['accepted', 'revoked']],
  ['a voucher whose time was over', [revocation({ state: 'done', ended: 1 })], ['revoked']],
  ['a rejection', [rejected], ['failed']],
  ['a revocation that was given up', [pending, revocation({ state: 'done', failed: 1 })], ['accepted', 'failed']],
])('undo with %s', async (_, revocations, statuses) => {
  const { store, revoked, undone } = await openResult(...revocations)
  const seen = new Set<string | undefined>()
  store.subscribe(() => seen.add(undone()[0]))
  store.undo()
  await vi.runAllTimersAsync()

  expect([...seen]).toEqual(['sending', ...statuses])
  expect([revoked.length, new Set(revoked).size]).toEqual([revocations.length, 1])
})

test('an undo continues after a reload and after a sign-in, with the same key', async () => {
  const before = await openResult('never')
  before.store.undo()
  const after = openDesk({ creations: [], revocations: [ended, gone] }, before.stored)
  after.store.resume()
  await vi.runAllTimersAsync()
  expect(after.undone()).toEqual(['sending'])
  after.store.resume()
  await vi.runAllTimersAsync()

  expect([after.undone(), after.revoked]).toEqual([['revoked'], [before.revoked[0], before.revoked[0]]])
})

test('the message about a code that still works stays until somebody reads it', async () => {
  const { store, undone } = await openResult(rejected)
  store.undo()
  await vi.runAllTimersAsync()
  store.submit(request, input)
  await vi.runAllTimersAsync()
  expect(undone()).toEqual(['failed'])
  store.readUndo(store.getState().undos[0]?.key ?? '')

  expect(undone()).toEqual([])
})

const storedCreation = { key: 'k1', request, input, startedAt: 1, status: { kind: 'made', voucher } }

test.each([
  ['of another version', { version: 2, value: { current: storedCreation, aside: [] } }],
  ['without a list', { version: 1, value: { current: storedCreation } }],
  ['with an unknown status', { current: { ...storedCreation, status: { kind: 'lost' } }, aside: [] }],
  ['with a status that lacks its voucher', { current: { ...storedCreation, status: { kind: 'made' } }, aside: [] }],
  ['with a broken undo', { current: null, aside: [], undos: [{ key: 'u', voucher, startedAt: 1, status: 'gone' }] }],
  ['without what was typed', { current: null, aside: [{ ...storedCreation, input: { name: 'Room 204' } }] }],
])('a stored desk %s is ignored', async (_, broken) => {
  const { store, sent } = openDesk({ creations: [created] }, new Map([['vs.desk.anna', JSON.stringify(broken)]]))
  expect(store.getState()).toEqual({ current: null, aside: [], undos: [] })
  store.submit(request, input)
  await vi.runAllTimersAsync()

  expect(sent).toHaveLength(1)
})

test('a desk and input that release 0.1.0 stored are read', () => {
  const old = { current: { ...storedCreation, status: { kind: 'sending' } }, aside: [] }
  const stored = new Map([
    ['vs.desk.anna', JSON.stringify(old)],
    ['vs.desk.anna.input.1', JSON.stringify(input)],
    ['vs.desk.anna.input.2', JSON.stringify({ ...input, limits: null })],
  ])
  const { store, kind } = openDesk({ creations: [] }, stored)

  expect([kind(), store.keptInput(1), store.keptInput(2)]).toEqual(['unknown', input, undefined])
})
