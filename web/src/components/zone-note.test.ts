import { expect, test } from 'vitest'
import { hasSameClock } from './zone-note.tsx'

test.each([
  ['Europe/Vienna', 'Europe/Berlin', true],
  ['Europe/Vienna', 'Africa/Lagos', false], // the same only in winter
  ['America/Phoenix', 'America/Los_Angeles', false], // the same only in summer
  ['Europe/Vienna', 'Europe/London', false],
  ['Asia/Kolkata', 'Asia/Calcutta', true],
])('%s and %s have the same clock: %s', (one, other, same) => {
  expect(hasSameClock(one, other, 2026)).toBe(same)
})
