import { expect, test } from 'vitest'
import { ApiError } from '../api.ts'
import { pollEvery } from './polling.ts'

const failed = (status: number) => ({ state: { data: 'old', error: new ApiError('x', 'x', { status }) } })
const succeeded = { state: { data: 'new', error: null } }

test.each([400, 401, 403, 404, 409, 410])('after %i nothing is asked again', (status) => {
  expect(pollEvery(1_000)(failed(status))).toBe(false)
  expect(pollEvery(() => 1_000)(failed(status))).toBe(false)
})

test.each([0, 429, 500, 502, 503])('after %i the next question follows', (status) => {
  expect(pollEvery(1_000)(failed(status))).toBe(1_000)
})

test('a bug of the app is no rejection', () => {
  expect(pollEvery(1_000)({ state: { data: undefined, error: new TypeError('x') } })).toBe(1_000)
})

test('after an answer, the pause is fixed or depends on the answer', () => {
  const untilNew = pollEvery((data?: string) => (data === 'new' ? false : 1_000))

  expect(pollEvery(1_000)(succeeded)).toBe(1_000)
  expect(untilNew(succeeded)).toBe(false)
  expect(untilNew(failed(503))).toBe(1_000)
})
