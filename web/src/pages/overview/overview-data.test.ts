import { expect, test } from 'vitest'
import { labelledDays, roundTicks } from './overview-data.ts'

test.each([
  [0, [0, 1, 2, 3]],
  [3, [0, 1, 2, 3]],
  [4, [0, 2, 4, 6]],
  [106, [0, 40, 80, 120]],
  [3_310, [0, 1_200, 2_400, 3_600]],
  [29_000, [0, 10_000, 20_000, 30_000]],
])('the axis for %i has four round ticks', (max, ticks) => {
  expect(roundTicks(max)).toEqual(ticks)
})

test('the axis always reaches the largest value and is never more than twice as high, except for very small values', () => {
  for (let max = 10; max < 100_000; max = Math.ceil(max * 1.01)) {
    const top = roundTicks(max).at(-1) as number
    expect([max, top >= max, top <= 2 * max]).toEqual([max, true, true])
  }
})

test('days are labelled weekly, and today always is', () => {
  const days = Array.from({ length: 30 }, (_, i) => String(i))

  expect(labelledDays(days, false)).toEqual(['0', '7', '14', '21', '29'])
  expect(labelledDays(days, true)).toEqual(['0', '14', '29'])
  expect(labelledDays(days.slice(0, 7), false)).toHaveLength(7)
})
