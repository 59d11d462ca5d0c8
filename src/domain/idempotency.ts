import { createHash } from 'node:crypto'
import { type Keyring, keyedHash } from '#lib/cipher.ts'
import type { Requester } from './actor.ts'
import { DomainError } from './errors.ts'

/** A request that a client may repeat with the same Idempotency-Key. The keys of different actors are independent. */
export type RepeatableRequest = {
  actor: Requester
  idempotencyKey: string | undefined
  /** The contents as the client sent them. A repeat must have the same. */
  contents: unknown
  /** The contents have an address of a guest, so only a keyed hash of them is stored. Version 0.1.0 cannot compare such a hash. */
  hasAddress?: boolean
}

/**
 * An earlier request with the same Idempotency-Key. `nothing`: it made nothing for certain, so it may be tried again.
 * `retrySeconds`: when the outcome of a request in progress may be known.
 */
export type EarlierRequest<T> = StoredHash & { outcome: T | 'in progress' | 'nothing'; retrySeconds?: number }

/**
 * The hash of the contents of a request, see `hashToStore`. After an erasure it is an HMAC of that, and `requestHashKey` is the id of its encryption key, because
 * a plain hash of a guest's name can be guessed.
 */
export type StoredHash = { requestHash: Buffer; requestHashKey: string | null }

/**
 * Does the work of a request once for its Idempotency-Key and returns the first result to every repeat. `create` inserts a
 * row with the key first; it returns undefined when another request with the same key was faster.
 */
export async function onceByKey<T extends object>(
  keyring: Keyring,
  request: RepeatableRequest,
  work: {
    find(idempotencyKey: string): Promise<EarlierRequest<T> | undefined>
    create(requestHash: Buffer): Promise<T | undefined>
  },
): Promise<{ result: T; isRepeat: boolean }> {
  const earlier = await findResult(keyring, request, work.find)
  if (earlier !== undefined) return { result: earlier, isRepeat: true }
  const created = await work.create(hashToStore(keyring, request))
  if (created !== undefined) return { result: created, isRepeat: false }
  const faster = await findResult(keyring, request, work.find)
  if (faster === undefined) throw new DomainError('idempotency_in_progress')
  return { result: faster, isRepeat: true }
}

async function findResult<T extends object>(
  keyring: Keyring,
  { idempotencyKey, contents }: RepeatableRequest,
  find: (idempotencyKey: string) => Promise<EarlierRequest<T> | undefined>,
): Promise<T | undefined> {
  if (idempotencyKey === undefined) return undefined
  const earlier = await find(idempotencyKey)
  if (earlier === undefined) return undefined
  if (!hasContents(keyring, earlier, storedHashesOf(keyring, contents))) throw new DomainError('idempotency_mismatch')
  if (earlier.outcome === 'in progress')
    throw new DomainError('idempotency_in_progress', { details: { seconds: earlier.retrySeconds ?? 1 } })
  return earlier.outcome === 'nothing' ? undefined : (earlier.outcome as T)
}

/** The hash of the contents that is stored with a request. */
export function hashToStore(keyring: Keyring, { contents, hasAddress }: RepeatableRequest): Buffer {
  const hash = hashOf(contents)
  return hasAddress ? (hmacOf(keyring, keyring.currentId, hash) as Buffer) : hash
}

/** All hashes that `hashToStore` of this or another process may have returned for these contents. */
export function storedHashesOf(keyring: Keyring, contents: unknown): Buffer[] {
  const hash = hashOf(contents)
  return [hash, ...[...keyring.keys.keys()].map((id) => hmacOf(keyring, id, hash) as Buffer)]
}

/** False for every contents if the key of an HMAC is not configured any more. */
function hasContents(keyring: Keyring, { requestHash, requestHashKey }: StoredHash, asked: Buffer[]): boolean {
  return asked.some(
    (hash) =>
      requestHash.equals(hash) ||
      (requestHashKey !== null && hmacOf(keyring, requestHashKey, hash)?.equals(requestHash)),
  )
}

const hmacOf = (keyring: Keyring, keyId: string, hash: Buffer) => keyedHash(keyring, keyId, 'request hash', hash)

/** A row with the plain hash of a request. */
export type PlainHash = { id: string; requestHash: Buffer }

/** Hashes with the key that made them, for statements that replace plain hashes. */
export type KeyedHashes = { ids: string[]; hashes: Buffer[]; keyId: string }

/** Replaces plain hashes, with the current key. Repeats still find their request, and nobody can guess the contents without the key. */
export function keyHashes(keyring: Keyring, rows: PlainHash[]): KeyedHashes {
  const keyId = keyring.currentId
  return {
    ids: rows.map(({ id }) => id),
    hashes: rows.map(({ requestHash }) => hmacOf(keyring, keyId, requestHash) as Buffer),
    keyId,
  }
}

/** A hash that does not depend on the order of members. */
export function hashOf(contents: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(contents, sortMembers)).digest()
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
