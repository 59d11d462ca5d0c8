import { expect, test } from 'vitest'
import { type SlipLine, slipLines } from '#slips/slip-lines.ts'
import type { GuestInfo } from '../../../../../client/voucher-api.generated.ts'
import { moveLine, slipChange, toSlipValues } from './slip-values.ts'

const stored = (lines: readonly SlipLine[]) =>
  ({
    slip_lines: [...lines],
    guest_languages: ['de', 'en'],
    slip_per_language: false,
    slip_password_for_keys: false,
  }) as unknown as GuestInfo

const linesOf = (lines: SlipLine[]) =>
  toSlipValues(stored(lines)).lines.map(({ line, isShown }) => (isShown ? line : `-${line}`))

test('a hidden line stands behind the line that it usually follows', () => {
  expect(linesOf([...slipLines])).toEqual(slipLines)
  expect(linesOf(['code', 'wifi_name', 'name'])).toEqual([
    ...['-logo', '-heading', '-house', 'code', '-validity', 'wifi_name', '-wifi_password', '-wifi_qr'],
    ...['name', '-footer'],
  ])
})

test('a move changes what is saved, and a move of a hidden line does not', () => {
  const before = toSlipValues(stored(['heading', 'code', 'name']))
  const moved = { ...before, lines: moveLine(before.lines, 'name', 0) }
  const hidden = { ...before, lines: moveLine(before.lines, 'footer', 0) }

  expect(slipChange(before, before)).toBeUndefined()
  expect(slipChange(before, moved)).toEqual({ slip_lines: ['name', 'heading', 'code'] })
  expect(hidden.lines[0]).toEqual({ line: 'footer', isShown: false })
  expect(slipChange(before, hidden)).toBeUndefined()
  expect(moveLine(before.lines, 'name', before.lines.length)).toBe(before.lines)
})

test('the order of languages is saved', () => {
  const before = toSlipValues(stored(slipLines))
  expect(slipChange(before, { ...before, languages: ['en', 'de'] })).toEqual({ guest_languages: ['en', 'de'] })
})
