import { expect, test, vi } from 'vitest'
import { atMostEvery } from './at-most-every.ts'

test('the first call runs at once, the next one after the interval', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const run = vi.fn()
  const call = atMostEvery(60_000, run)

  call('first')
  vi.advanceTimersByTime(59_999)
  call('too early')
  vi.advanceTimersByTime(1)
  call('a minute later')
  call('again too early')

  expect(run.mock.calls).toEqual([['first'], ['a minute later']])
})
