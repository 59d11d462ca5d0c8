import { expect, test } from 'vitest'
import { pauseAfter } from './record-failure.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
const pauses = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)]
const none = { scale: 1, askedMs: null }

test('nine pauses, from five seconds to a day, then no more attempts', () => {
  const middle = pauses.map((_, i) => pauseAfter(i + 1, { ...none, random: () => 0.5 }))

  expect(middle).toEqual(pauses)
  expect(pauseAfter(10, none)).toBeUndefined()
})

test('each pause is spread by 20 percent to both sides', () => {
  for (const [i, pause] of pauses.entries()) {
    expect(pauseAfter(i + 1, { ...none, random: () => 0 })).toBeCloseTo(pause * 0.8)
    expect(pauseAfter(i + 1, { ...none, random: () => 1 })).toBeCloseTo(pause * 1.2)
    const drawn = Array.from({ length: 1_000 }, () => (pauseAfter(i + 1, none) ?? 0) / pause)
    expect([Math.min(...drawn) > 0.8, Math.min(...drawn) < 0.85]).toEqual([true, true])
    expect([Math.max(...drawn) < 1.2, Math.max(...drawn) > 1.15]).toEqual([true, true])
  }
})

test('a receiver can ask for a longer pause, not for a shorter one', () => {
  expect(pauseAfter(1, { ...none, askedMs: 3 * hour })).toBe(3 * hour)
  expect(pauseAfter(4, { ...none, askedMs: 1 * second })).toBeGreaterThan(1.5 * hour)
})

test('the scale of tests shortens the pauses, but not the one that the receiver asks for', () => {
  expect(pauseAfter(9, { scale: 0.001, askedMs: null })).toBeLessThan(0.0012 * 24 * hour)
  expect(pauseAfter(1, { scale: 0.001, askedMs: 2 * second })).toBe(2 * second)
})
