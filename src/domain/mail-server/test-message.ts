import { randomUUID } from 'node:crypto'
import type { Mail, MailSender } from '#mail/mail.ts'

const texts = {
  en: {
    subject: 'Test message of the Voucher Service',
    text: 'The mail server has accepted this message. Guests can get their codes by e-mail.',
  },
  de: {
    subject: 'Testnachricht des Voucher Service',
    text: 'Der Mailserver hat diese Nachricht angenommen. Gäste können ihre Codes per E-Mail bekommen.',
  },
}

export function testMessage({ from, to, language }: { from: MailSender; to: string; language: 'en' | 'de' }): Mail {
  const { subject, text } = texts[language]
  const [, domain = 'localhost'] = from.address.split('@')
  return {
    from: { name: from.name, address: from.address },
    replyTo: from.replyTo,
    to,
    subject,
    text: `${text}\n`,
    html: `<p>${text}</p>`,
    attachments: [],
    messageId: `<${randomUUID()}@${domain}>`,
    date: new Date(),
  }
}
