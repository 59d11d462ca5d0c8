import { expect, test } from 'vitest'
import { latestValidUntil, nextChange, type RecordedVoucher } from './voucher.ts'

const now = new Date('2026-11-14T09:30:20Z')
const at = (time: string) => new Date(`2026-11-14T${time}Z`)
const unused = {
  status: 'valid',
  usedCount: 0,
  expireMinutes: 60,
  minutesCut: false,
  expiresAt: null,
} as RecordedVoucher
const cut = { ...unused, minutesCut: true }
const used = (time: string) => ({ ...unused, usedCount: 1, expiresAt: at(time) })

test.each([
  ['no voucher', [], null],
  ['an unused voucher', [unused], null],
  ['used ones: when the first of them expires', [used('11:00:00'), used('10:00:00')], at('10:00:00')],
  ['one that has expired since it was recorded', [used('09:30:20')], null],
  ['one that was revoked', [{ ...used('11:00:00'), status: 'revoked' as const }], null],
  ['one whose minutes were cut: when the next minute begins', [cut, used('10:00:00')], at('09:31:00')],
])('the next time at which a list changes although nothing is recorded: %s', (_case, vouchers, expected) => {
  expect(nextChange(now, vouchers)).toEqual(expected)
})

test('the next change is the first time at which latestValidUntil differs', () => {
  const change = nextChange(now, [cut]) as Date

  expect(latestValidUntil(new Date(change.getTime() - 1), cut)).toEqual(latestValidUntil(now, cut))
  expect(latestValidUntil(change, cut)).not.toEqual(latestValidUntil(now, cut))
})
