import { type Mail, MailFailure } from './mail.ts'
import { toEnvelopeAddress } from './mail-address.ts'

/** Headers that tell programs not to answer, for example with an out-of-office reply. */
const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** A message as MIME, and its envelope: one sender and one recipient. */
export type PreparedMail = { from: string; to: string; message: Buffer }

/** Checks the addresses, and writes the message with lines of ASCII, so that every server can pass it on unchanged. */
export async function prepareMail(mail: Mail): Promise<PreparedMail> {
  const [from, to] = [toEnvelopeAddress(mail.from.address), toEnvelopeAddress(mail.to)]
  const replyTo = mail.replyTo === null ? null : toEnvelopeAddress(mail.replyTo)
  if (from === undefined || replyTo === undefined) throw new MailFailure('sender_invalid')
  if (to === undefined) throw new MailFailure('message_rejected', 'The address is not valid.')
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const composer = new MailComposer({
    // Addresses are objects: in a text, commas and angle brackets would make other recipients.
    from: { name: plainText(mail.from.name), address: from },
    to: { name: '', address: to },
    ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
    subject: plainText(mail.subject),
    text: mail.text,
    html: mail.html,
    attachments: mail.attachments.map(({ cid, fileName, type, bytes }) => ({
      cid,
      filename: plainText(fileName),
      contentType: type,
      contentDisposition: 'inline',
      content: bytes,
    })),
    messageId: mail.messageId,
    date: mail.date,
    headers: { ...mail.headers, ...automatic },
    encoding: 'quoted-printable',
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return { from, to, message: await composer.compile().build() }
}

/**
 * Text for a header. Line breaks would begin another one, invisible characters could hide what a name says, and mail programs would decode
 * what follows `=?`.
 */
function plainText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .replace(/ +/g, ' ')
    .trim()
}
