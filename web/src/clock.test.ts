import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClock } from './clock.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

test('all listeners share one timer, which ends with the last of them', () => {
  const clock = createClock(10_000)
  const seen: [string, number][] = []
  const stops = ['a', 'b'].map((name) => clock.subscribe(() => seen.push([name, clock.now()])))

  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(10_000)
  expect(seen).toEqual([
    ['a', 10_000],
    ['b', 10_000],
  ])
  for (const stop of stops) stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('a listener that comes between two ticks gets the present time; the time does not change without a tick', () => {
  const clock = createClock(10_000)
  clock.subscribe(() => {})
  vi.advanceTimersByTime(4_000)
  expect(clock.now()).toBe(0)

  clock.subscribe(() => {})

  expect(clock.now()).toBe(4_000)
})

test('without listeners the time is never old', () => {
  const clock = createClock(10_000)
  vi.setSystemTime(60_000)

  expect(clock.now()).toBe(60_000)
})
