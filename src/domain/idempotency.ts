import { createHash } from 'node:crypto'
import type { Requester } from './actor.ts'
import { DomainError } from './errors.ts'

/** A request that a client may repeat with the same Idempotency-Key. The keys of different actors are independent. */
export type RepeatableRequest = {
  actor: Requester
  idempotencyKey: string | undefined
  /** The contents as the client sent them. A repeat must have the same. */
  contents: unknown
}

/**
 * An earlier request with the same Idempotency-Key. `nothing`: it made nothing for certain, so it may be tried again.
 * `retrySeconds`: when the outcome of a request in progress may be known.
 */
export type EarlierRequest<T> = { requestHash: Buffer; outcome: T | 'in progress' | 'nothing'; retrySeconds?: number }

/**
 * Does the work of a request once for its Idempotency-Key and returns the first result to every repeat. `create` inserts a
 * row with the key first; it returns undefined when another request with the same key was faster.
 */
export async function onceByKey<T extends object>(
  request: RepeatableRequest,
  work: {
    find(idempotencyKey: string): Promise<EarlierRequest<T> | undefined>
    create(requestHash: Buffer): Promise<T | undefined>
  },
): Promise<{ result: T; isRepeat: boolean }> {
  const requestHash = hashOf(request.contents)
  const earlier = await findResult(request, requestHash, work.find)
  if (earlier !== undefined) return { result: earlier, isRepeat: true }
  const created = await work.create(requestHash)
  if (created !== undefined) return { result: created, isRepeat: false }
  const faster = await findResult(request, requestHash, work.find)
  if (faster === undefined) throw new DomainError('idempotency_in_progress')
  return { result: faster, isRepeat: true }
}

async function findResult<T extends object>(
  { idempotencyKey }: RepeatableRequest,
  requestHash: Buffer,
  find: (idempotencyKey: string) => Promise<EarlierRequest<T> | undefined>,
): Promise<T | undefined> {
  if (idempotencyKey === undefined) return undefined
  const earlier = await find(idempotencyKey)
  if (earlier === undefined) return undefined
  if (!earlier.requestHash.equals(requestHash)) throw new DomainError('idempotency_mismatch')
  if (earlier.outcome === 'in progress')
    throw new DomainError('idempotency_in_progress', { details: { seconds: earlier.retrySeconds ?? 1 } })
  return earlier.outcome === 'nothing' ? undefined : (earlier.outcome as T)
}

/** A hash that does not depend on the order of members. */
export function hashOf(contents: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(contents, sortMembers)).digest()
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
