import { expect, test } from 'vitest'
import type { VoucherRow } from './read-source.ts'
import { checkClock, createWallClock } from './wall-clock.ts'
import { wronglyDecoded } from './wrongly-decoded.ts'

test.each([
  ['Europe/Berlin', '2026-07-01 12:00:00', '2026-07-01T10:00:00.000Z'],
  ['Europe/Berlin', '2026-12-01 00:30:00', '2026-11-30T23:30:00.000Z'],
  ['Europe/Berlin', '2026-10-25 01:59:59', '2026-10-24T23:59:59.000Z'],
  ['Europe/Berlin', '2026-10-25 03:00:00', '2026-10-25T02:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29 03:00:00', '2026-03-29T01:00:00.000Z'],
  ['America/New_York', '2026-03-08 03:00:00', '2026-03-08T07:00:00.000Z'],
  ['UTC', '2028-02-29 23:59:59', '2028-02-29T23:59:59.000Z'],
])('a clock in %s that shows %s', (zone, shown, moment) => {
  expect(createWallClock(zone)(shown)?.toISOString()).toBe(moment)
})

test.each(['0000-00-00 00:00:00', '2026-02-30 10:00:00', '2026-11-19', '', 'now'])('%j is no time', (shown) => {
  expect(createWallClock('Europe/Berlin')(shown)).toBeUndefined()
})

const voucher = (created: string, expires: string | null, fields: Partial<VoucherRow> = {}) =>
  ({
    created_seconds: String(Date.parse(created) / 1000),
    expires_clock: expires,
    expire_minutes: 60,
    synced_from_unifi: 0,
    ...fields,
  }) as VoucherRow

test('the ends of vouchers show whether the time zone of PHP is right', () => {
  const vouchers = [
    voucher('2026-11-19T08:00:00Z', '2026-11-19 10:00:03'),
    voucher('2026-07-19T08:00:00Z', '2026-07-19 11:00:01'),
    voucher('2026-11-19T08:00:00Z', null),
    voucher('2026-11-19T08:00:00Z', '2026-01-01 00:00:00', { synced_from_unifi: 1 }),
  ]
  const check = (zone: string) => checkClock(createWallClock(zone), vouchers)

  expect(check('Europe/Berlin')).toEqual({ rows: 2, offMinutes: 0 })
  expect(check('UTC')).toEqual({ rows: 2, offMinutes: 120 })
  expect(check('Europe/London')).toEqual({ rows: 2, offMinutes: 60 })
  expect(checkClock(createWallClock('UTC'), [])).toEqual({ rows: 0, offMinutes: 0 })
})

test('a clock of a controller that is wrong, or the night in which winter time begins, does not make a zone wrong', () => {
  const fast = [
    voucher('2026-11-19T08:00:00Z', '2026-11-19 10:05:00'),
    voucher('2026-11-18T08:00:00Z', '2026-11-18 10:04:50'),
  ]
  const usual = Array.from({ length: 9 }, () => voucher('2026-11-19T08:00:00Z', '2026-11-19 10:00:01'))
  const doubled = voucher('2026-10-24T23:30:00Z', '2026-10-25 02:30:00')

  expect(checkClock(createWallClock('Europe/Berlin'), fast).offMinutes).toBe(0)
  expect(checkClock(createWallClock('Europe/Berlin'), [...usual, doubled]).offMinutes).toBe(0)
})

test.each([
  ['MÃ¼ller', 'Müller'],
  ['CafÃ©', 'Café'],
  ['GroÃŸ', 'Groß'],
  ['Müller', undefined],
  ['Ã', undefined],
  ['Room 12', undefined],
  ['Łódź', undefined],
])('the name %s was probably %s', (name, meant) => {
  expect(wronglyDecoded(name)).toBe(meant)
})
