import { expect, test } from 'vitest'
import { extendableUntil, hasEndToExtend } from './voucher-end.ts'

const at = '2026-11-18T10:00:00.000Z'

test('a stay and a used voucher have an end to extend; an unused duration and ended vouchers have none', () => {
  expect(hasEndToExtend({ status: 'valid', ends_at: at })).toBe(true)
  expect(hasEndToExtend({ status: 'used', ends_at: at })).toBe(true)
  expect(hasEndToExtend({ status: 'valid', ends_at: null })).toBe(false)
  expect(hasEndToExtend({ status: 'expired', ends_at: at })).toBe(false)
  expect(hasEndToExtend({ status: 'revoked', ends_at: at })).toBe(false)
})

/** A stay of two days with room for seven more, created at `at`. */
const stay = {
  status: 'valid' as const,
  created_at: at,
  expire_minutes: 9 * 1440,
  used_count: 0,
  valid_until: '2026-11-20T10:00:00.000Z',
  ends_at: '2026-11-20T10:00:00.000Z',
  latest_valid_until: '2026-11-27T10:00:00.000Z',
}
const withoutRoom = { ...stay, expire_minutes: 2 * 1440 }

test('the limit of an unused stay does not move with the time', () => {
  const limit = new Date('2026-11-27T10:00:00.000Z')

  expect(extendableUntil(stay)).toEqual(limit)
  expect(extendableUntil({ ...stay, latest_valid_until: '2026-11-27T10:01:00.000Z' })).toEqual(limit)
  expect(extendableUntil({ ...stay, latest_valid_until: '2026-11-28T15:00:00.000Z' })).toEqual(limit)
})

test('an unused stay without room is not extendable, however long it stays unused', () => {
  expect(extendableUntil({ ...withoutRoom, latest_valid_until: '2026-11-20T10:01:00.000Z' })).toBeUndefined()
  expect(extendableUntil({ ...withoutRoom, latest_valid_until: '2026-11-21T20:00:00.000Z' })).toBeUndefined()
})

test('once used, a stay is extendable until its minutes end', () => {
  const used = { ...stay, used_count: 1, latest_valid_until: '2026-11-28T08:00:00.000Z' }

  expect(extendableUntil(used)).toEqual(new Date('2026-11-28T08:00:00.000Z'))
  expect(
    extendableUntil({ ...used, ends_at: used.latest_valid_until, valid_until: used.latest_valid_until }),
  ).toBeUndefined()
})

test('a limit before the own end, no limit, no fixed end and an ended voucher: nothing is promised', () => {
  expect(extendableUntil({ ...stay, latest_valid_until: '2026-11-19T10:00:00.000Z' })).toBeUndefined()
  expect(extendableUntil({ ...stay, latest_valid_until: null })).toBeUndefined()
  expect(extendableUntil({ ...stay, valid_until: null })).toBeUndefined()
  expect(extendableUntil({ ...stay, status: 'revoked' })).toBeUndefined()
})
