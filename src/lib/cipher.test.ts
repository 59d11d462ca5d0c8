import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { decrypt, encrypt, type Keyring } from './cipher.ts'

const place = { table: 'controllers', column: 'secret', row: '1' }
const [a, b] = [randomBytes(32), randomBytes(32)]
const old: Keyring = { currentId: 'a', keys: new Map([['a', a]]) }
const both: Keyring = { currentId: 'b', keys: new Map([['b', b], ['a', a]]) } // biome-ignore format: one line

test('a value can be decrypted in its place', () => {
  expect(decrypt(old, place, encrypt(old, place, 'Geheim ✓'))).toBe('Geheim ✓')
  expect(decrypt(old, place, encrypt(old, place, ''))).toBe('')
})

test('the same text is encrypted differently each time', () => {
  expect(encrypt(old, place, 'x')).not.toBe(encrypt(old, place, 'x'))
})

test('an old value can be decrypted with a keyring that has a newer key in front', () => {
  const value = encrypt(old, place, 'x')

  expect(decrypt(both, place, value)).toBe('x')
  expect(encrypt(both, place, 'x')).toMatch(/^v1\.b\./)
})

test.each([
  { ...place, table: 'webhooks' },
  { ...place, column: 'session' },
  { ...place, row: '2' },
])('a value moved to $table.$column of row $row cannot be decrypted', (elsewhere) => {
  expect(() => decrypt(old, elsewhere, encrypt(old, place, 'x'))).toThrow('cannot be decrypted')
})

test('a value with a flipped bit cannot be decrypted', () => {
  const value = encrypt(old, place, 'secret')
  const [, , body = ''] = value.split('.')
  const bytes = Buffer.from(body, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
    expect(() => decrypt(old, place, `v1.a.${flipped.toString('base64url')}`)).toThrow('cannot be decrypted')
  }
})

test('a truncated value, an unknown key, a wrong key and another format are rejected', () => {
  const value = encrypt(old, place, 'secret')
  const wrong: Keyring = { currentId: 'a', keys: new Map([['a', b]]) }

  expect(() => decrypt(old, place, value.slice(0, 40))).toThrow('cannot be decrypted')
  expect(() => decrypt(old, place, 'v1.a.')).toThrow('cannot be decrypted')
  expect(() => decrypt({ currentId: 'b', keys: new Map([['b', b]]) }, place, value)).toThrow('"a" is not configured')
  expect(() => decrypt(wrong, place, value)).toThrow('cannot be decrypted')
  expect(() => decrypt(old, place, value.replace('v1', 'v2'))).toThrow('unknown format')
})
