import { expect, test } from 'vitest'
import { addCalendarDays, calendarDaysBetween, fromWallTime, isWallTime } from './zoned-time.ts'

const vienna = 'Europe/Vienna'
const iso = (at: Date) => at.toISOString()

test.each([
  ['winter time begins', '2026-10-24T09:00:00.000Z', 1, '2026-10-25T10:00:00.000Z'],
  ['summer time begins', '2027-03-27T10:00:00.000Z', 2, '2027-03-29T09:00:00.000Z'],
  ['nothing changes', '2026-11-25T10:00:27.125Z', 7, '2026-12-02T10:00:27.125Z'],
  ['the days count backwards', '2026-10-25T10:00:00.000Z', -1, '2026-10-24T09:00:00.000Z'],
])('a time of day stays the same when %s', (_, from, days, to) => {
  expect(iso(addCalendarDays(new Date(from), days, vienna))).toBe(to)
  expect(calendarDaysBetween(new Date(from), new Date(to), vienna)).toBe(days)
})

test('a time of day that the clocks skip becomes a later one', () => {
  expect(iso(addCalendarDays(new Date('2027-03-27T01:30:00Z'), 1, vienna))).toBe('2027-03-28T01:30:00.000Z')
})

test('a wall time is read in the zone, on both sides of a change of the clocks', () => {
  expect(iso(fromWallTime('2026-10-24T11:00', vienna))).toBe('2026-10-24T09:00:00.000Z')
  expect(iso(fromWallTime('2026-10-25T11:00', vienna))).toBe('2026-10-25T10:00:00.000Z')
  expect(iso(fromWallTime('2026-11-18T11:00', 'Asia/Kolkata'))).toBe('2026-11-18T05:30:00.000Z')
})

test.each([
  ['2028-02-29T11:00', true],
  ['2026-12-31T23:59', true],
  ['2027-02-29T11:00', false],
  ['2027-02-31T11:00', false],
  ['2027-04-31T11:00', false],
  ['2027-13-01T11:00', false],
  ['2027-04-30T24:00', false],
  ['2027-04-30T23:60', false],
  ['2027-04-30', false],
  ['2027-04-30T11:00:00', false],
])('%s is a wall time: %s', (text, is) => {
  expect(isWallTime(text)).toBe(is)
  if (!is) expect(() => fromWallTime(text, vienna)).toThrow(RangeError)
})

test('moments with different times of day have no number of days between them', () => {
  const [from, to] = [new Date('2026-11-18T10:00:00Z'), new Date('2026-11-20T10:15:00Z')]

  expect(calendarDaysBetween(from, to, vienna)).toBeNull()
})
