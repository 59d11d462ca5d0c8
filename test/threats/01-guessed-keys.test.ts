import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createAuthenticate, makeKey, toBase62 } from '#domain/keys/key.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey } from '#test/data/seed.ts'
import { size } from '#test/measuring.ts'

const db = await createTestDatabase()
const { key } = await seedKey(db)
let lookups = 0
const counted: Queryable = {
  query: (text, values) => {
    const [prefixes] = values as [string[]] // one statement looks up the keys of several requests
    lookups += prefixes.length
    return db.query(text, values)
  },
}
const authenticate = createAuthenticate(counted)
const atOnce = 100

/** How many of the guesses were accepted, and how many lookups of a key they caused. */
async function tryAll(count: number, guess: (i: number) => string): Promise<{ accepted: number; lookups: number }> {
  lookups = 0
  let accepted = 0
  for (let i = 0; i < count; i += atOnce) {
    const batch = Array.from({ length: atOnce }, (_, k) => authenticate(guess(i + k), null))
    accepted += (await Promise.all(batch)).filter(Boolean).length
  }
  return { accepted, lookups }
}

function flipBit(text: string, bit: number): string {
  const bytes = Buffer.from(text, 'latin1')
  const at = (bit >> 3) % bytes.length
  bytes[at] = (bytes[at] as number) ^ (1 << (bit & 7))
  return bytes.toString('latin1')
}

function withChecksum(text: string): string {
  return text.slice(0, -6) + toBase62(crc32(text.slice(0, -6)), 6)
}

test('the key itself is accepted', async () => {
  expect(await tryAll(atOnce, () => key)).toEqual({ accepted: atOnce, lookups: 1 })
})

test('no key with flipped bits after its first word is accepted, and none causes a lookup', async () => {
  const word = 'vsk_'
  const rest = key.slice(word.length)
  const flips = rest.length * 8
  // Every single bit, then pairs of bits.
  const guess = (i: number) =>
    word + (i < flips ? flipBit(rest, i) : flipBit(flipBit(rest, i), i + Math.floor(i / flips)))
  const count = size(2_000, 100_000)

  expect(await tryAll(count, guess)).toEqual({ accepted: 0, lookups: 0 })
})

test('no key with flipped bits in its first word is accepted', async () => {
  expect(await tryAll(100, (i) => flipBit(key.slice(0, 3), i % 24) + key.slice(3))).toMatchObject({ accepted: 0 })
})

test('no random key with a correct checksum is accepted', async () => {
  const count = size(1_000, 80_000)

  expect(await tryAll(count, () => makeKey())).toEqual({ accepted: 0, lookups: count })
})

test('no random secret with a known prefix and a correct checksum is accepted', async () => {
  const count = size(500, 20_000)

  expect(await tryAll(count, () => withChecksum(key.slice(0, 12) + makeKey().slice(12)))).toEqual({
    accepted: 0,
    lookups: count / atOnce,
  })
})
