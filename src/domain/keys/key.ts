import { createHash, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { randomBase62, toBase62 } from '#lib/base62.ts'

export type Scope = 'read' | 'write'

export const defaultRateLimit = 600
export const maxRateLimit = 100_000

const maxLength = 256
const lookupLength = 8
const secretLength = 32
const checksumLength = 6
const ourWord = 'vsk'
const ourLength = ourWord.length + 1 + lookupLength + secretLength + checksumLength
/** Also the shape of keys made elsewhere: a word, eight characters to find it by, a secret. */
const shape = /^([A-Za-z][A-Za-z0-9]*)_[A-Za-z0-9]{8}[\x21-\x7e]+$/

/** `vsk_`, 8 to find it by, 32 secret (190 bits), 6 of checksum. */
export function makeKey(): string {
  const body = `${ourWord}_${randomBase62(lookupLength)}${randomBase62(secretLength)}`
  return body + checksum(body)
}

/** What finds the key's row, or undefined when the text cannot be a key: then nobody needs to be asked. */
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
