import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const now = Date.parse('2026-11-14T12:00:00Z')
const day = 86_400_000

test.each([
  ['120', 120_000],
  ['0', 0],
  [' 7 ', 7_000],
  ['Sat, 14 Nov 2026 12:01:30 GMT', 90_000],
  ['Sat, 14 Nov 2026 11:00:00 GMT', 0],
  ['Sat, 21 Nov 2026 12:00:00 GMT', day],
  ['86401', day],
  ['9'.repeat(400), day],
  [['30', '60'], 30_000],
  [undefined, null],
  ['', null],
  ['-5', null],
  ['1.5', null],
  ['1e3', null],
  ['soon', null],
  ['tomorrow GMT', null],
  ['2026-11-14', null],
])('Retry-After: %j', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms)
})
