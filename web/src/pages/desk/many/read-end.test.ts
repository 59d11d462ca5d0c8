import { describe, expect, test } from 'vitest'
import { readDuration, readEnd } from './read-end.ts'

const calendar = { now: new Date('2026-11-18T10:30:00Z'), timeZone: 'Europe/Berlin', checkOut: '11:00' } // 11:30 in Berlin
const read = (text: string, now = calendar.now) => {
  const end = readEnd(text, { ...calendar, now })
  return 'error' in end ? end.error : end.until
}

describe('an end of a stay', () => {
  test.each([
    ['20.11.', '2026-11-20 11:00:00'],
    ['20.11', '2026-11-20 11:00:00'],
    ['20. 11.', '2026-11-20 11:00:00'],
    ['5.12.', '2026-12-05 11:00:00'],
    ['20.11.2026', '2026-11-20 11:00:00'],
    ['20.11.26', '2026-11-20 11:00:00'],
    ['20.11. 14:30', '2026-11-20 14:30:00'],
    ['20.11.2026, 9:05', '2026-11-20 09:05:00'],
    ['20.11.2026 09:05:00', '2026-11-20 09:05:00'],
    ['20.11. 14 Uhr', '2026-11-20 14:00:00'],
    ['20.11. 14.30 Uhr', '2026-11-20 14:30:00'],
    ['20.11. 3 pm', '2026-11-20 15:00:00'],
    ['Fr, 20.11.', '2026-11-20 11:00:00'],
    ['Fri 20 Nov', '2026-11-20 11:00:00'],
    ['bis 20.11.', '2026-11-20 11:00:00'],
    ['2026-11-20', '2026-11-20 11:00:00'],
    ['2026-11-20 14:30', '2026-11-20 14:30:00'],
    ['2026-11-20T14:30', '2026-11-20 14:30:00'],
    ['20 Nov', '2026-11-20 11:00:00'],
    ['20 November 2026', '2026-11-20 11:00:00'],
    ['20. Nov.', '2026-11-20 11:00:00'],
    ['Nov 20', '2026-11-20 11:00:00'],
    ['November 20, 2026', '2026-11-20 11:00:00'],
    ['3. März', '2027-03-03 11:00:00'],
    ['3 Mar', '2027-03-03 11:00:00'],
    ['24. Dezember', '2026-12-24 11:00:00'],
    ['1 Mai', '2027-05-01 11:00:00'],
    ['20/11/2026', '2026-11-20 11:00:00'],
    ['11/20/2026', '2026-11-20 11:00:00'],
    ['12/12', '2026-12-12 11:00:00'],
    ['3 days', '2026-11-21 11:00:00'],
    ['3 Tage', '2026-11-21 11:00:00'],
    ['1 week', '2026-11-25 11:00:00'],
    ['2 Wochen', '2026-12-02 11:00:00'],
    ['in 3 days', '2026-11-21 11:00:00'],
    ['8 h', '2026-11-18 19:30:00'],
    ['90 min', '2026-11-18 13:00:00'],
    ['morgen', '2026-11-19 11:00:00'],
    ['tomorrow 9:00', '2026-11-19 09:00:00'],
    ['heute 18:00', '2026-11-18 18:00:00'],
    ['18:00', '2026-11-18 18:00:00'],
    ['11:00', '2026-11-19 11:00:00'], // 11:00 has passed today
    ['  20.11.  ', '2026-11-20 11:00:00'],
  ])('%s is read as %s', (text, until) => {
    expect(read(text)).toBe(until)
  })

  test.each([
    ['31.11.', { kind: 'days', month: 11, days: 30 }],
    ['30.2.2027', { kind: 'days', month: 2, days: 28 }],
    ['29.2.2027', { kind: 'days', month: 2, days: 28 }],
    ['2026-11-31', { kind: 'days', month: 11, days: 30 }],
    ['31 Nov', { kind: 'days', month: 11, days: 30 }],
    ['5/6/2027', { kind: 'ambiguous' }],
    ['17.11.', { kind: 'passed' }],
    ['1.10.', { kind: 'passed' }],
    ['20.11.2025', { kind: 'passed' }],
    ['18.11.', { kind: 'passed' }], // 11:00 has passed today
    ['20.11.2062', { kind: 'too-far' }],
    ['20.11. 25:00', { kind: 'no-time' }],
    ['20.11. 13 pm', { kind: 'no-time' }],
    ['20.13.', { kind: 'unreadable' }],
    ['0.11.', { kind: 'unreadable' }],
    ['32.11.', { kind: 'unreadable' }],
    ['20 Foo', { kind: 'unreadable' }],
    ['bald', { kind: 'unreadable' }],
    ['46346', { kind: 'unreadable' }],
    ['20', { kind: 'unreadable' }],
    ['-', { kind: 'unreadable' }],
    ['99999 days', { kind: 'unreadable' }],
    ['constructor', { kind: 'unreadable' }],
    [`${'9'.repeat(100_000)}.11.`, { kind: 'unreadable' }],
    [`20.11.${' '.repeat(100_000)}x`, { kind: 'unreadable' }],
  ])('%.20s is rejected', (text, error) => {
    expect(read(text)).toEqual(error)
  })

  test('29 February without a year is in the next leap year', () => {
    expect(read('29.2.', new Date('2027-12-01T10:00:00Z'))).toBe('2028-02-29 11:00:00')
  })

  test('a date without a year that was more than half a year ago is in the next year', () => {
    expect([read('1.5.'), read('31.12.'), read('3.1.')]).toEqual([
      '2027-05-01 11:00:00',
      '2026-12-31 11:00:00',
      '2027-01-03 11:00:00',
    ])
  })

  test('the day is that of the site: half past midnight in Berlin is still the day before in UTC', () => {
    expect(read('tomorrow', new Date('2026-11-18T23:30:00Z'))).toBe('2026-11-20 11:00:00')
  })

  test('days keep the time of day when the clocks change; hours are real hours', () => {
    const saturday = new Date('2026-10-24T10:30:00Z') // 12:30; the clocks go back at 3:00 on Sunday

    expect(read('2 days', saturday)).toBe('2026-10-26 11:00:00')
    expect(read('24 h', saturday)).toBe('2026-10-25 11:30:00')
    expect(read('25.10. 2:30', saturday)).toBe('2026-10-25 02:30:00')
  })
})

describe('a duration', () => {
  test.each([
    ['3 days', 4_320],
    ['1 Tag', 1_440],
    ['2 nights', 2_880],
    ['8 h', 480],
    ['8 Std.', 480],
    ['90 min', 90],
    ['90min', 90],
    ['1 Woche', 10_080],
    ['90', 90],
  ])('%s has %d minutes', (text, minutes) => {
    expect(readDuration(text)).toBe(minutes)
  })

  test.each(['', 'x', '1.5 h', '3 Äpfel', '-3 days', '99999999', '3 days x'])('%s is none', (text) => {
    expect(readDuration(text)).toBeUndefined()
  })

  test('a bare number counts in the unit of its column', () => {
    expect([readDuration('3', 'days'), readDuration('3', 'hours'), readDuration('90 min', 'days')]).toEqual([
      4_320, 180, 90,
    ])
  })
})
