import { expect, test } from 'vitest'
import type { Voucher } from '../../../../../client/voucher-api.generated.ts'
import { placeOfWord, stateOf } from './found-words.ts'

const now = Date.parse('2026-11-17T20:31:00Z')
const [past, future] = ['2026-11-16T14:12:00Z', '2026-11-18T02:30:00Z']
const voucher = (change: Partial<Voucher>) =>
  ({ status: 'valid', used_count: 0, ends_at: null, valid_until: null, ...change }) as Voucher

test.each([
  ['unused', {}],
  ['unused', { ends_at: future, valid_until: future }],
  ['in-use', { used_count: 1, ends_at: future }],
  ['in-use', { status: 'used', used_count: 1, ends_at: future }],
  ['ended', { status: 'used', used_count: 1, ends_at: past }],
  ['ended', { ends_at: past, valid_until: past }],
  ['ended', { status: 'expired', ends_at: past }],
  ['revoked', { status: 'revoked', ends_at: past }],
] as const)('%s, for %j', (state, change) => {
  expect(stateOf(voucher(change), now)).toBe(state)
})

test('the text begins the name, or a word after a space or a separator', () => {
  const places = ['fam', 'HUB', 'lü', 'uber', '12', 'fam. h'].map((text) => placeOfWord('Fam. Huber-Lüders, 12', text))

  expect(places).toEqual([0, 5, 11, -1, 19, 0])
})
