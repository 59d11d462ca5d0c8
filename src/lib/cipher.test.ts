import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Keyring, open, seal } from './cipher.ts'

const place = { table: 'controllers', column: 'secret', row: '1' }
const [a, b] = [randomBytes(32), randomBytes(32)]
const old: Keyring = { currentId: 'a', keys: new Map([['a', a]]) }
const both: Keyring = { currentId: 'b', keys: new Map([['b', b], ['a', a]]) } // biome-ignore format: one line

test('what was sealed opens in its place', () => {
  expect(open(old, place, seal(old, place, 'Geheim ✓'))).toBe('Geheim ✓')
  expect(open(old, place, seal(old, place, ''))).toBe('')
})

test('the same text is sealed differently each time', () => {
  expect(seal(old, place, 'x')).not.toBe(seal(old, place, 'x'))
})

test('an old value opens with a keyring that has a newer key in front', () => {
  const value = seal(old, place, 'x')

  expect(open(both, place, value)).toBe('x')
  expect(seal(both, place, 'x')).toMatch(/^v1\.b\./)
})

test.each([
  { ...place, table: 'webhooks' },
  { ...place, column: 'session' },
  { ...place, row: '2' },
])('a value moved to $table.$column of row $row does not open', (elsewhere) => {
  expect(() => open(old, elsewhere, seal(old, place, 'x'))).toThrow('does not open')
})

test('a value with any single bit flipped does not open', () => {
  const value = seal(old, place, 'secret')
  const [, , body = ''] = value.split('.')
  const bytes = Buffer.from(body, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
    expect(() => open(old, place, `v1.a.${flipped.toString('base64url')}`)).toThrow('does not open')
  }
})

test('a truncated value, an unknown key, a wrong key and another format do not open', () => {
  const value = seal(old, place, 'secret')
  const wrong: Keyring = { currentId: 'a', keys: new Map([['a', b]]) }

  expect(() => open(old, place, value.slice(0, 40))).toThrow('does not open')
  expect(() => open(old, place, 'v1.a.')).toThrow('does not open')
  expect(() => open({ currentId: 'b', keys: new Map([['b', b]]) }, place, value)).toThrow('"a" is not configured')
  expect(() => open(wrong, place, value)).toThrow('does not open')
  expect(() => open(old, place, value.replace('v1', 'v2'))).toThrow('Unknown format')
})
