import type { TFunction } from 'i18next'
import { expect, test } from 'vitest'
import type { Batch, BatchRow } from '../../../../../client/voucher-api.generated.ts'
import { commonReason, leftWords, newestFirst, secondsLeft, withFailedFirst } from './batch-words.ts'

const row = (number: number, outcome: BatchRow['outcome'], failure: string | null = null) =>
  ({ number, outcome, failure }) as BatchRow
const numbers = (rows: BatchRow[]) => rows.map(({ number }) => number)
const batch = (made: number) => ({ size: 50, made }) as Batch

test('failed rows come first, rows that were not started last', () => {
  const rows = [row(1, 'cancelled'), row(2, 'made'), row(3, 'failed'), row(4, 'made')]

  expect(numbers(withFailedFirst(rows))).toEqual([3, 2, 4, 1])
})

test('while a batch runs, the row that is being created and the newest ones are shown', () => {
  const rows = [row(1, 'made'), row(2, 'made'), row(3, 'made'), row(4, 'under_way'), row(5, 'waiting')]

  expect(numbers(newestFirst(rows, 3))).toEqual([4, 3, 2])
})

test('a reason that all failed rows share is named; an unknown one is "other"', () => {
  expect(commonReason([row(1, 'failed', 'unreachable'), row(2, 'made')])).toBe('unreachable')
  expect(commonReason([row(1, 'failed', 'unreachable'), row(2, 'failed', 'rejected')])).toBeNull()
  expect(commonReason([row(1, 'failed', 'from a later version')])).toBe('other')
})

test('the time left is named once a tenth is created, from the speed that this page has seen', () => {
  expect(secondsLeft(batch(4), { made: 0, at: 0 }, 10_000)).toBeNull()
  expect(secondsLeft(batch(10), undefined, 10_000)).toBeNull()
  expect(secondsLeft(batch(10), { made: 10, at: 0 }, 10_000)).toBeNull()
  expect(secondsLeft(batch(20), { made: 10, at: 0 }, 10_000)).toBe(30)
})

test('the time left is rounded up', () => {
  const t = ((key: string, { count }: { count: number }) => `${key} ${count}`) as unknown as TFunction

  expect([1, 21, 89, 91].map((seconds) => leftWords(t, seconds))).toEqual([
    'many.seconds-left 10',
    'many.seconds-left 30',
    'many.seconds-left 90',
    'many.minutes-left 2',
  ])
})
