import { expect, test, vi } from 'vitest'
import type { Batch, BatchCreation } from '../../../../../client/voucher-api.generated.ts'
import type { CallOptions } from '../../../../../client/voucher-client.ts'
import { ApiError } from '../../../api.ts'
import { createBatchStore } from './batch-store.ts'

const request: BatchCreation = { site_id: 1, names: ['Huber', 'Maier'] }

function memory() {
  const values = new Map<string, string>()
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
}

/** A service that answers each request with the next of these answers. */
function service(...answers: (string | ApiError)[]) {
  const keys: (string | undefined)[] = []
  const createBatch = async (_body: BatchCreation, options?: CallOptions): Promise<Batch> => {
    keys.push(options?.idempotencyKey)
    const answer = answers.shift()
    if (typeof answer !== 'string') throw answer
    return { id: answer } as Batch
  }
  return { keys, createBatch }
}

const failed = (status: number, error = 'x', more: object = {}) =>
  new ApiError(error, 'No.', { status, ...more } as never)

test('two clicks send one request', async () => {
  const api = service('1-a')
  const store = createBatchStore({ api, storage: memory(), personId: 'p' })

  store.submit(request)
  store.submit(request)

  await vi.waitFor(() => expect(store.getState()?.status).toEqual({ kind: 'made', batchId: '1-a' }))
  expect(api.keys).toHaveLength(1)
})

test('a request without an answer is repeated with the same key, even by the next page', async () => {
  const storage = memory()
  const lost = service(failed(0, 'no_answer'))
  const first = createBatchStore({ api: lost, storage, personId: 'p' })
  first.submit(request)
  await vi.waitFor(() => expect(first.getState()?.status.kind).toBe('lost'))

  const api = service('1-a')
  const second = createBatchStore({ api, storage, personId: 'p' })
  second.submit({ ...request, names: ['another'] }) // the outcome of the first one is open
  second.resume()

  await vi.waitFor(() => expect(second.getState()?.status).toEqual({ kind: 'made', batchId: '1-a' }))
  expect(api.keys).toEqual(lost.keys)
  second.settle()
  expect(createBatchStore({ api, storage, personId: 'p' }).getState()).toBeNull()
})

test('a request that was under way when the page was left is repeated', async () => {
  const storage = memory()
  const hanging = { createBatch: () => new Promise<Batch>(() => {}) }
  createBatchStore({ api: hanging, storage, personId: 'p' }).submit(request)

  const api = service('1-a')
  const next = createBatchStore({ api, storage, personId: 'p' })
  expect(next.getState()?.status.kind).toBe('lost')
  next.resume()

  await vi.waitFor(() => expect(next.getState()?.status.kind).toBe('made'))
})

test.each([
  [400, 'invalid_request'],
  [429, 'daily_limit_reached'],
  [409, 'mail_not_set_up'],
])('a request rejected with %d %s created nothing, and the next click has another key', async (status, error) => {
  const api = service(failed(status, error, { retry_after: 40_000 }), '1-b')
  const store = createBatchStore({ api, storage: memory(), personId: 'p' })
  store.submit(request)
  await vi.waitFor(() => expect(store.getState()?.status).toMatchObject({ kind: 'rejected', message: 'No.' }))
  store.submit(request)

  await vi.waitFor(() => expect(store.getState()?.status.kind).toBe('made'))
  expect(new Set(api.keys).size).toBe(2)
})

test('while the service is unavailable or held, the request is repeated and its reason is kept', async () => {
  const api = service(failed(503, 'unavailable'))
  const store = createBatchStore({ api, storage: memory(), personId: 'p' })
  store.submit(request)

  await vi.waitFor(() => expect(store.getState()?.status).toEqual({ kind: 'lost', reason: expect.any(String) }))
})

test('after the session has ended, the request waits for the sign-in', async () => {
  const api = service(failed(401, 'session_ended'), '1-a')
  const store = createBatchStore({ api, storage: memory(), personId: 'p' })
  store.submit(request)
  await vi.waitFor(() => expect(store.getState()?.status.kind).toBe('signed-out'))
  store.resume()

  await vi.waitFor(() => expect(store.getState()?.status.kind).toBe('made'))
  expect(new Set(api.keys).size).toBe(1)
})

test.each([
  ['of another version', { version: 2, value: { key: 'k', request, status: { kind: 'lost' } } }],
  ['with an unknown status', { key: 'k', request, status: { kind: 'unknown' } }],
  ['without a status', { key: 'k', request }],
])('a stored request %s is ignored', (_, broken) => {
  const storage = memory()
  storage.setItem('vs.many.p', JSON.stringify(broken))

  expect(createBatchStore({ api: service(), storage, personId: 'p' }).getState()).toBeNull()
})
