import { expect, test } from 'vitest'
import { createCalendar } from './clock.ts'

test('the local date, across midnight and daylight saving time', () => {
  expect(createCalendar('Europe/Vienna')(new Date('2026-11-14T22:59:59Z'))).toBe('2026-11-14')
  expect(createCalendar('Europe/Vienna')(new Date('2026-11-14T23:00:00Z'))).toBe('2026-11-15')
  expect(createCalendar('Europe/Vienna')(new Date('2026-07-14T22:00:00Z'))).toBe('2026-07-15')
  expect(createCalendar('UTC')(new Date('2026-01-01T00:00:00Z'))).toBe('2026-01-01')
  expect(createCalendar('Pacific/Kiritimati')(new Date('2026-12-31T10:00:00Z'))).toBe('2027-01-01')
})
