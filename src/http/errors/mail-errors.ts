import type { MailErrorCode } from '#domain/errors.ts'
import type { ErrorEntry } from './error-entry.ts'

export const mailErrors: Record<MailErrorCode, ErrorEntry> = {
  mail_host_required: { field: { field: 'host', code: 'required' } },
  mail_host_invalid: { field: { field: 'host', code: 'bad_format' } },
  mail_username_required: { field: { field: 'username', code: 'required' } },
  mail_password_required: { field: { field: 'password', code: 'required' } },
  mail_password_unencrypted: {
    status: 400,
    field: { field: 'security', code: 'not_usable' },
    de: 'Ohne Verschlüsselung wird kein Passwort gesendet. Wählen Sie STARTTLS oder TLS, oder entfernen Sie Benutzername und Passwort.',
    en: 'No password is sent without encryption. Choose STARTTLS or TLS, or remove the user name and the password.',
  },
  mail_address_invalid: {
    field: ({ field }) => ({ field: String(field), code: 'bad_format', allowed: { format: 'email' } }),
  },
  mail_server_missing: {
    status: 409,
    de: 'Es ist kein Mailserver eingerichtet. Ein Administrator richtet ihn unter Einstellungen → E-Mail ein.',
    en: 'No mail server is set up. An administrator sets it up in Settings → E-mail.',
  },
  link_mail_not_set_up: {
    status: 409,
    de: 'Links können nicht per E-Mail verschickt werden. Es fehlt ein Mailserver oder ein Absender (Einstellungen → E-Mail), oder PUBLIC_URL. Es wurde nichts geändert.',
    en: 'Links cannot be sent by e-mail. A mail server or a sender (Settings → E-mail) or PUBLIC_URL is missing. Nothing was changed.',
  },
  mail_tests_too_many: {
    status: 429,
    de: 'In der letzten Minute gab es zu viele Tests. Versuchen Sie es in {seconds} s erneut.',
    en: 'There were too many tests in the last minute. Try again in {seconds} s.',
  },
}
