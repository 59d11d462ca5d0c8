import { expect, test } from 'vitest'
import { type CustomLimits, limitsOf } from '../../../components/creation/desk-input.ts'
import { fitToLongest } from './fit-to-longest.ts'

const now = Date.parse('2026-11-18T10:00:00Z')
const timeZone = 'Europe/Vienna'
const oneDay = limitsOf(undefined, timeZone, new Date(now))
const fit = (longest: number, changes: Partial<CustomLimits> = {}) =>
  fitToLongest({ ...oneDay, ...changes }, { longest, timeZone, now })

test.each([
  [60, { unit: 'hours', amount: 1 }],
  [90, { unit: 'hours', amount: 1 }],
  [120, { unit: 'hours', amount: 2 }],
  [1439, { unit: 'hours', amount: 23 }],
  [1440, undefined],
  [30, undefined],
])('of %i minutes, one day becomes %o', (longest, expected) => {
  expect(fit(longest)).toEqual(expected)
})

test('days stay days if the limit is a number of days', () => {
  expect(fit(2880, { amount: 7 })).toEqual({ unit: 'days', amount: 2 })
  expect(fit(2160, { amount: 7 })).toEqual({ unit: 'hours', amount: 36 })
  expect(fit(2880, { amount: '' })).toBeUndefined()
})

test('an end that is too late becomes the last one that is allowed, on the clock of the site', () => {
  expect(fit(120, { unit: 'until' })).toEqual({ until: '2026-11-18 13:00:00' })
  expect(fit(2880, { unit: 'until' })).toBeUndefined()
})
