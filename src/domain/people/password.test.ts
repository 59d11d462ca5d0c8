import { scryptSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkNewPassword, hashPassword, isPassword } from './password.ts'
import { networkOf } from './sign-in.ts'

test('a hash accepts its password only, in every Unicode form of it', async () => {
  const hash = await hashPassword('Grüße aus Wien')

  expect(hash).toMatch(/^scrypt\$32768\$8\$3\$/)
  expect(await isPassword('Grüße aus Wien'.normalize('NFD'), hash, 'new address')).toBe(true)
  expect(await isPassword('Grüße aus wien', hash, 'new address')).toBe(false)
  expect(await hashPassword('Grüße aus Wien')).not.toBe(hash)
})

test('every character of a long password counts', async () => {
  const long = '\u{1F600}'.repeat(255)
  const hash = scryptSync(`${long}x`, '', 32, { N: 2, r: 1, p: 1 }).toString('base64url')

  expect(await isPassword(`${long}x`, `scrypt$2$1$1$$${hash}`, 'new address')).toBe(true)
  expect(await isPassword(`${long}y`, `scrypt$2$1$1$$${hash}`, 'new address')).toBe(false)
})

test('without a hash, no password is right', async () => {
  expect(await isPassword('', null, 'new address')).toBe(false)
})

test.each([
  ['elevenchars', 'password_too_short'],
  ['passwordpassword1', 'password_common'],
  ['1qaz2wsx3edc', 'password_common'],
  ['!!Qwertyuiop123', 'password_common'],
  ['ｐａｓｓｗｏｒｄ２０２６', 'password_common'],
  ['111111111111', 'password_common'],
  ['anna.berger2026', 'password_common'],
  ['Voucher-Service-2026', 'password_common'],
  ['WiFi!Guest!Example', 'password_common'],
  ['2026 Gäste Berger', 'password_common'],
  [`${'wifi'.repeat(40)}xyz`, undefined],
  ['voucher tulip 2026', undefined],
  ['837465928374', undefined],
  ['correct horse battery', undefined],
  ['ж'.repeat(6) + 'щ'.repeat(6), 'password_common'],
  ['x1y2z3'.repeat(60), 'password_too_long'],
])('%s: %s', (password, code) => {
  const check = () => checkNewPassword('password', password, 'anna.berger@example.com')

  if (code) expect(check).toThrow(code)
  else expect(check).not.toThrow()
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
