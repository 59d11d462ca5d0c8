import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Queryable } from '#db/database.ts'
import { gatherCalls } from '#lib/concurrency.ts'
import { type AuthenticatedKey, findKeysWithListVersions, type WantedKey } from './keys.queries.ts'

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
const ourWord = 'vsk_'
/** The shape of our own keys: `vsk_`, the letter of a cell and `_` if there is one, 46 characters. */
const ourShape = /^(vsk_(?:[A-Z]_)?)[A-Za-z0-9]{46}$/
/** The shape of imported keys: a word, `_`, eight characters for the lookup, a secret. */
const shape = /^([A-Za-z][A-Za-z0-9]*_)[A-Za-z0-9]{8}[\x21-\x7e]+$/

/**
 * Makes a key: `vsk_`, the letter of the cell and `_` if there is one, 8 characters for the lookup, 32 secret characters
 * (190 bits), 6 characters of checksum. A key without a cell has no `_` there, so a router can tell the two forms apart.
 */
export function makeKey(cell?: string): string {
  const start = cell === undefined ? ourWord : `${ourWord}${cell}_`
  const body = `${start}${randomBase62(lookupLength)}${randomBase62(secretLength)}`
  return body + checksum(body)
}

/** The letter of the cell that made a key of this service. Undefined when the key or prefix has none. */
export function cellOf(keyOrPrefix: string): string | undefined {
  return /^vsk_([A-Z])_/.exec(keyOrPrefix)?.[1]
}

/** The prefix by which a key is looked up. Undefined when the text cannot be a key: then no lookup is needed. */
export function prefixOf(text: string): string | undefined {
  if (text.length > maxLength) return undefined
  const start = text.startsWith(ourWord) ? startOfOurs(text) : shape.exec(text)?.[1]
  return start && text.slice(0, start.length + lookupLength)
}

export function sha256Of(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export function matches(text: string, digest: Buffer): boolean {
  return timingSafeEqual(sha256Of(text), digest)
}

function startOfOurs(text: string): string | undefined {
  const start = ourShape.exec(text)?.[1]
  return start && text.slice(-checksumLength) === checksum(text.slice(0, -checksumLength)) ? start : undefined
}

function checksum(body: string): string {
  return toBase62(crc32(body), checksumLength)
}

export type Authenticate = (presented: string, siteId: number | null) => Promise<AuthenticatedKey | undefined>

/**
 * Looks up the presented key; undefined when it is unknown, wrong, expired or revoked. Concurrent requests share a read, but
 * only a read that starts after they arrived. So a revocation takes effect at once.
 */
export function createAuthenticate(db: Queryable): Authenticate {
  const gather = gatherCalls<WantedKey, AuthenticatedKey>((wanted) =>
    findKeysWithListVersions(
      db,
      wanted.map(({ call }) => call),
    ),
  )
  return async (presented, siteId) => {
    const prefix = prefixOf(presented)
    if (prefix === undefined) return undefined
    const { result: key } = await gather(`${prefix} ${siteId}`, { prefix, siteId })
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
