import { expect, test } from 'vitest'
import { isMailAddress } from '#mail/mail-address.ts'
import { readEmail } from './read-email.ts'

test.each([
  ['huber@web.example', 'huber@web.example'],
  ['Anna Huber <huber@web.example>', 'huber@web.example'],
  ['mailto:huber@web.example', 'huber@web.example'],
  ["o'neil+wlan@mail.web.example", "o'neil+wlan@mail.web.example"],
  ['info@gästehaus.example', 'info@gästehaus.example'],
])('%s is an address, which the service accepts', (text, email) => {
  expect(readEmail(text)).toBe(email)
  expect(isMailAddress(email)).toBe(true)
})

test.each([
  ['moretti', 'email'],
  ['moretti@', 'email'],
  ['@gmail.example', 'email'],
  ['moretti@gmail', 'email-no-dot'],
  ['moretti@gmail..example', 'email'],
  ['moretti@-gmail.example', 'email'],
  ['a b@gmail.example', 'email'],
  ['moretti@gmail.example.', 'email'],
  ['müller@gmail.example', 'email-letters'],
  ['a@gmail.example, b@gmail.example', 'email-several'],
  [`${'a'.repeat(65)}@gmail.example`, 'email'],
  [`a@${'b.'.repeat(126)}example`, 'email'],
])('%s is none: %s', (text, kind) => {
  expect(readEmail(text)).toEqual({ error: { kind } })
})
