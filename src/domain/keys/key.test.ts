import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellOf, makeKey, matches, prefixOf, sha256Of } from './key.ts'

test('a new key has vsk_, 8 characters to find it, 32 of secret and 6 of checksum, all base62', () => {
  const key = makeKey()

  expect(key).toMatch(/^vsk_[0-9A-Za-z]{46}$/)
  expect(prefixOf(key)).toBe(key.slice(0, 12))
})

test('the checksum is the CRC32 of all characters before it, in base62: a known key', () => {
  // crc32("vsk_" + 40 zeros) computed independently
  const body = `vsk_${'0'.repeat(40)}`

  expect(prefixOf(`${body}${knownChecksum}`)).toBe('vsk_00000000')
  expect(prefixOf(`${body}000000`)).toBeUndefined()
})
const knownChecksum = '1BON8T'

test('a key of a cell: its letter is in front of the 8 characters, and the checksum covers it', () => {
  const key = makeKey('B')

  expect(key).toMatch(/^vsk_B_[0-9A-Za-z]{46}$/)
  expect(prefixOf(key)).toBe(key.slice(0, 14))
  expect(prefixOf(key.replace('_B_', '_C_'))).toBeUndefined()
  expect(prefixOf(key.replace('_B_', '_'))).toBeUndefined()
  expect(prefixOf(key.replace('_B_', '_BB_'))).toBeUndefined()
})

test('the cell of a key can be read without a database, from the whole key or its prefix', () => {
  const key = makeKey('Q')

  expect([cellOf(key), cellOf(prefixOf(key) as string)]).toEqual(['Q', 'Q'])
  expect(Array.from({ length: 1_000 }, () => cellOf(makeKey()))).toEqual(Array(1_000).fill(undefined))
  expect(cellOf('abc_B_345678x')).toBeUndefined()
})

test('the pattern for secret scanners in docs/operating.md finds every key in a text', () => {
  const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8')
  const pattern = /^(vsk_\S+)$/m.exec(page)?.[1] as string

  for (const key of [makeKey(), makeKey('A'), makeKey('Z')])
    expect(`curl -H "X-API-Key: ${key}" https`.match(new RegExp(pattern))?.[0]).toBe(key)
})

test('no two keys are alike', () => {
  expect(new Set(Array.from({ length: 10_000 }, () => makeKey())).size).toBe(10_000)
})

test.each([
  '',
  'x',
  'vsk_',
  'vsk_123',
  'vsk_B_',
  'vsk_B_12345678',
  '_12345678x',
  'a-b_12345678x',
  'abc_1234567',
  'abc_12345678',
  'abc_1234 678x',
  'äbc_12345678x',
])('%j cannot be a key', (text) => {
  expect(prefixOf(text)).toBeUndefined()
})

test('a key from elsewhere: a word, eight characters, a secret without checksum, up to 256 characters', () => {
  expect(prefixOf('abc_12345678s')).toBe('abc_12345678')
  expect(prefixOf('Key2_aB3dE6gH-!$secret')).toBe('Key2_aB3dE6gH')
  expect(prefixOf(`abc_12345678${'x'.repeat(244)}`)).toBe('abc_12345678')
  expect(prefixOf(`abc_12345678${'x'.repeat(245)}`)).toBeUndefined()
})

test('any text is checked without an exception', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      (text) => prefixOf(text) === undefined || prefixOf(text) !== '',
    ),
  )
})

test('only the text behind a digest matches it', () => {
  const key = makeKey()

  expect(matches(key, sha256Of(key))).toBe(true)
  expect(matches(makeKey(), sha256Of(key))).toBe(false)
})
