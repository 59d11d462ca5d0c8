import { formatTimeIn } from '#lib/intl-formats.ts'
import type { Mail } from '#mail/mail.ts'
import type { LinkMailKind } from '../messages/message.ts'
import { addressed, type Envelope } from './compose-message.ts'
import { htmlOf, linkParagraph, paragraph } from './mail-html.ts'

type Language = 'de' | 'en'
type Texts = { subject: string; intro: string; unexpected: string }

/** `{house}` is the name of the house. */
const texts: Record<Language, Record<LinkMailKind, Texts>> = {
  en: {
    invitation: {
      subject: 'Your account: {house}',
      intro: 'You have an account for the guest Wi-Fi of {house}. Open this link to set your password:',
      unexpected: 'If you did not expect this message, you can ignore it.',
    },
    password_link: {
      subject: 'Set a new password: {house}',
      intro: 'An administrator made a link for your account at {house}. Open it to set a new password:',
      unexpected:
        'If you did not expect this message, ask the administrator. Your password stays as it is until the link is used.',
    },
    forgotten_password: {
      subject: 'Set a new password: {house}',
      intro: 'Somebody asked for a new password for your account at {house}. Open this link to set one:',
      unexpected: 'If that was not you, ignore this message. Your password stays as it is.',
    },
  },
  de: {
    invitation: {
      subject: 'Ihr Konto: {house}',
      intro:
        'Sie haben ein Konto für das Gäste-WLAN von {house}. Öffnen Sie diesen Link und legen Sie Ihr Passwort fest:',
      unexpected: 'Falls Sie diese Nachricht nicht erwartet haben, können Sie sie ignorieren.',
    },
    password_link: {
      subject: 'Neues Passwort festlegen: {house}',
      intro: 'Für Ihr Konto bei {house} wurde ein Link erstellt. Öffnen Sie ihn und legen Sie ein neues Passwort fest:',
      unexpected:
        'Falls Sie diese Nachricht nicht erwartet haben, fragen Sie Ihren Administrator. Ihr Passwort gilt weiter, bis der Link benutzt wird.',
    },
    forgotten_password: {
      subject: 'Neues Passwort festlegen: {house}',
      intro:
        'Jemand hat für Ihr Konto bei {house} ein neues Passwort angefordert. Öffnen Sie diesen Link und legen Sie eines fest:',
      unexpected: 'Falls Sie das nicht waren, ignorieren Sie diese Nachricht. Ihr Passwort gilt weiter.',
    },
  },
}

const common: Record<Language, { greeting: string; validity: string; automatic: string }> = {
  en: {
    greeting: 'Hello,',
    validity: 'The link works once, until {time}.',
    automatic: 'This message was sent automatically.',
  },
  de: {
    greeting: 'Guten Tag,',
    validity: 'Der Link funktioniert einmal, bis {time}.',
    automatic: 'Diese Nachricht wurde automatisch gesendet.',
  },
}

const locales: Record<Language, string> = { en: 'en-GB', de: 'de-DE' }

type Content = {
  kind: LinkMailKind
  language: Language
  house: string
  url: string
  token: string
  linkEndsAt: Date
  timeZone: string
}

/** The e-mail with a one-time link. It names neither the person nor who made the link: both are texts that somebody typed. */
export function composeLinkMail(
  { kind, language, house, url, token, linkEndsAt, timeZone }: Content,
  envelope: Envelope,
): Mail {
  const named = (text: string) => text.replaceAll('{house}', () => house)
  const { subject, intro, unexpected } = texts[language][kind]
  const { greeting, validity, automatic } = common[language]
  const time = formatTimeIn(locales[language], linkEndsAt, {
    ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
    timeZone,
  })
  const valid = validity.replace('{time}', () => time)
  const parts = [greeting, named(intro), url, valid, `--\n${automatic}\n${unexpected}`]
  return {
    ...addressed(envelope),
    subject: named(subject),
    text: `${parts.join('\n\n')}\n`,
    html: htmlOf(language, named(subject), [
      paragraph('plain', greeting),
      paragraph('plain', named(intro)),
      linkParagraph(url),
      paragraph('plain', valid),
      paragraph('small', automatic, unexpected),
    ]),
    attachments: [],
    secret: token,
  }
}
