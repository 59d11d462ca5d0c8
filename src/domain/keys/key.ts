import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Queryable } from '#db/database.ts'
import { gatherCalls } from '#lib/concurrency.ts'
import { type AuthenticatedKey, findKeyWithListVersion } from './keys.queries.ts'

/** The scopes of keys in ascending order: each one includes those before it. */
export const scopes = ['read', 'write', 'manage'] as const

export type Scope = (typeof scopes)[number]

export function includesScope(scope: Scope, needed: Scope): boolean {
  return scopes.indexOf(scope) >= scopes.indexOf(needed)
}

export const defaultRateLimit = 600
export const maxRateLimit = 100_000

const maxLength = 256
const lookupLength = 8
const secretLength = 32
const checksumLength = 6
const ourWord = 'vsk'
const ourLength = ourWord.length + 1 + lookupLength + secretLength + checksumLength
/** A word, `_`, eight characters for the lookup, a secret. Imported keys have this shape too. */
const shape = /^([A-Za-z][A-Za-z0-9]*)_[A-Za-z0-9]{8}[\x21-\x7e]+$/

/** Makes a key: `vsk_`, 8 characters for the lookup, 32 secret characters (190 bits), 6 characters of checksum. */
export function makeKey(): string {
  const body = `${ourWord}_${randomBase62(lookupLength)}${randomBase62(secretLength)}`
  return body + checksum(body)
}

/** The prefix by which a key is looked up. Undefined when the text cannot be a key: then no lookup is needed. */
export function prefixOf(text: string): string | undefined {
  if (text.length > maxLength) return undefined
  const word = shape.exec(text)?.[1]
  if (word === undefined) return undefined
  if (word === ourWord && !hasOurChecksum(text)) return undefined
  return text.slice(0, word.length + 1 + lookupLength)
}

export function sha256Of(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export function matches(text: string, digest: Buffer): boolean {
  return timingSafeEqual(sha256Of(text), digest)
}

function hasOurChecksum(text: string): boolean {
  const body = text.slice(0, -checksumLength)
  return text.length === ourLength && text.slice(-checksumLength) === checksum(body)
}

function checksum(body: string): string {
  return toBase62(crc32(body), checksumLength)
}

export type Authenticate = (presented: string, siteId: number | null) => Promise<AuthenticatedKey | undefined>

/**
 * Looks up the presented key; undefined when it is unknown, wrong, expired or revoked. Concurrent requests of one key
 * share a read, but only a read that starts after they arrived. So a revocation takes effect at once.
 */
export function createAuthenticate(db: Queryable): Authenticate {
  const gather = gatherCalls<AuthenticatedKey>()
  return async (presented, siteId) => {
    const prefix = prefixOf(presented)
    if (prefix === undefined) return undefined
    const { result: key } = await gather(`${prefix} ${siteId}`, async () =>
      Object.freeze(await findKeyWithListVersion(db, prefix, siteId)),
    )
    return matches(presented, key.sha256) && key.live ? key : undefined
  }
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function randomBase62(length: number): string {
  return Array.from({ length }, () => digits[randomInt(62)]).join('')
}

/** Pads to a fixed width, so that a suffix of this form can be cut off again. */
export function toBase62(value: number, width: number): string {
  let rest = value
  let text = ''
  for (let i = 0; i < width; i++) {
    text = digits[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
