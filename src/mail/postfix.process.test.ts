import { X509Certificate } from 'node:crypto'
import PostalMime from 'postal-mime'
import { expect, test, vi } from 'vitest'
import { issueMailCertificate, mailAddressPolicy } from '#test/network/mail-server.ts'
import { canStartPostfix, startPostfix } from '#test/network/postfix.ts'
import type { Mail, MailServer } from './mail.ts'
import { sendMail } from './send-mail.ts'

const certificate = await issueMailCertificate()
const image = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 256))
const text = ['Ihr Code: 12345-67890', '.', '..', 'From hier an ist alles gut: äöü 你好', 'x'.repeat(2_000), ''].join(
  '\n',
)

const mail = (changes: Partial<Mail> = {}): Mail => ({
  from: { name: 'Hotel „Goldener Adler“, Wien', address: 'wlan@adler.example' },
  replyTo: 'empfang@adler.example',
  to: 'guest@mail.example',
  subject: 'WLAN für Familie Müller',
  text,
  html: '<p>äöü <b>12345-67890</b></p><img src="cid:qr@adler">',
  attachments: [{ cid: 'qr@adler', fileName: 'Zettel für 你.png', type: 'image/png', bytes: image }],
  messageId: '<m1@adler.example>',
  date: new Date('2026-11-20T10:00:00Z'),
  ...changes,
})

test.runIf(canStartPostfix)(
  'a message arrives whole in a mailbox of Postfix, and Postfix rejects other people',
  async () => {
    const postfix = await startPostfix(certificate)
    const server: MailServer = {
      host: '127.0.0.1',
      port: postfix.port,
      security: 'starttls',
      username: null,
      password: null,
      certificatePin: new X509Certificate(certificate.certificate).fingerprint256,
    }
    const send = (changes: Partial<Mail> = {}, at: Partial<MailServer> = {}) =>
      sendMail({ ...server, ...at }, mail(changes), { addressPolicy: mailAddressPolicy })

    expect(await send()).toEqual({
      outcome: 'accepted',
      answer: expect.stringMatching(/^250 2\.0\.0 Ok: queued as \w+$/),
    })
    expect(await send({ to: 'nobody@mail.example' })).toEqual({
      outcome: 'rejected',
      answer: expect.stringMatching(/^550 5\.1\.1 <\*\*\*>: Recipient address rejected: User unknown/),
    })
    expect(await send({ to: 'guest@elsewhere.example' })).toMatchObject({ outcome: 'rejected' })
    expect(await send({}, { security: 'none', certificatePin: null })).toEqual({
      outcome: 'failed',
      reason: 'sign_in_required',
      answer: '530 5.7.0 Must issue a STARTTLS command first',
    })
    expect(await send({}, { username: 'u', password: 'secret' })).toMatchObject({ reason: 'sign_in_not_offered' })

    const [message] = await vi.waitFor(() => {
      const found = postfix.mailbox()
      if (found.length === 0) throw new Error('Nothing has arrived yet')
      return found
    }, 30_000)
    const parsed = await PostalMime.parse(message ?? '')
    expect(parsed).toMatchObject({
      from: { name: 'Hotel „Goldener Adler“, Wien', address: 'wlan@adler.example' },
      to: [{ address: 'guest@mail.example' }],
      replyTo: [{ address: 'empfang@adler.example' }],
      subject: 'WLAN für Familie Müller',
      messageId: '<m1@adler.example>',
    })
    expect(parsed.text?.trimEnd()).toBe(text.trimEnd())
    expect(parsed.html?.trim()).toBe(mail().html)
    const [attachment] = parsed.attachments
    expect(attachment).toMatchObject({ contentId: '<qr@adler>', filename: 'Zettel für 你.png', mimeType: 'image/png' })
    expect(Buffer.from(attachment?.content as ArrayBuffer)).toEqual(image)
    expect(postfix.mailbox()).toHaveLength(1)
  },
)
