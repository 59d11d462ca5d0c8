import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { prepareMail } from '#mail/prepare-mail.ts'
import { hostileNames } from '#test/hostile-names.ts'
import type { RecordedVoucher } from '../record/voucher.ts'
import { composeMessage } from './compose-message.ts'

const guestInfo = {
  ...{ wifi_name: null, wifi_password: null, wifi_hidden: false, wifi_password_set: false },
  ...{ footer: null, time_zone: 'UTC' },
}
const envelope = {
  sender: { name: 'Adler', address: 'wlan@adler.example', replyTo: null },
  to: 'gast@example.org',
  messageId: '<1@adler.example>',
  createdAt: new Date(),
}

async function mailOf(name: string) {
  const voucher = {
    id: '1',
    code: '4861409510',
    name,
    maxUses: 1,
    expireMinutes: 480,
    validUntil: null,
    createdAt: new Date(),
  }
  const site = { name: 'Adler', house: null, guestInfo }
  const mail = composeMessage({ voucher: voucher as RecordedVoucher, site, language: 'en' }, envelope)
  return PostalMime.parse((await prepareMail(mail)).message)
}

test.each(hostileNames)('the name %j of a guest is one line without links and mentions', async (name) => {
  const [plain, { text, html }] = [await mailOf('Huber'), await mailOf(name)]

  expect(text?.split('\n').length).toBe(plain.text?.split('\n').length)
  for (const shown of [text, html?.replace(/<style.*|<meta[^>]*>/g, '')]) {
    expect(shown).not.toContain('://')
    expect(shown).not.toMatch(/@(?!\u200b)/)
    expect(shown).not.toMatch(/evil\.example/)
  }
  expect(html).not.toMatch(/<(?:img|script|a) /)
})
