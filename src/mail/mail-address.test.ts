import { expect, test } from 'vitest'
import { isMailAddress } from './mail-address.ts'

test.each(["o'brien+wifi@example.org", 'guest@münchen.example', 'a@b', `${'a'.repeat(64)}@example.org`])(
  'mail can be sent to %s',
  (address) => expect(isMailAddress(address)).toBe(true),
)

test.each([
  'guest',
  'guest@',
  'a@b@c',
  'a, b@example.org',
  'gäst@example.org',
  `a@${'b.'.repeat(127)}c`,
  'a@127.1',
  'a@0x7f.1',
  'a@１２７.１',
])('no mail can be sent to %s', (address) => expect(isMailAddress(address)).toBe(false))
