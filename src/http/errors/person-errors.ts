import type { PersonErrorCode } from '#domain/errors.ts'
import { type ErrorEntry, notFound } from './error-entry.ts'

/** Errors of people who sign in, and of managing them. */
export const personErrors: Record<PersonErrorCode, ErrorEntry> = {
  sign_in_failed: { status: 401, de: 'E-Mail-Adresse oder Passwort ist falsch.', en: 'E-mail or password is wrong.' },
  sign_in_unencrypted: {
    status: 403,
    de: 'Für den Dienst ist diese Verbindung nicht verschlüsselt. Öffnen Sie die Seite über https. Wenn Sie das schon tun: Tragen Sie die Adresse des Proxys in TRUSTED_PROXIES ein, und lassen Sie den Proxy den Header X-Forwarded-Proto senden.',
    en: 'The service sees a connection that is not encrypted. Open the page with https. If you already do: add the address of the proxy to TRUSTED_PROXIES, and let the proxy send the header X-Forwarded-Proto.',
  },
  sign_ins_too_many: {
    status: 429,
    de: 'Zu viele Versuche. Bitte versuchen Sie es in {seconds} Sekunden erneut.',
    en: 'Too many attempts. Please try again in {seconds} seconds.',
  },
  password_wrong: { status: 403, de: 'Das aktuelle Passwort ist falsch.', en: 'The current password is wrong.' },
  password_too_short: {
    status: 400,
    field: ({ field, min }) => ({
      field: String(field),
      code: 'too_short',
      allowed: { min_length: Number(min) },
    }),
    de: 'Das Passwort muss mindestens {min} Zeichen haben.',
    en: 'The password must have at least {min} characters.',
  },
  password_too_long: {
    status: 400,
    field: ({ field, max }) => ({
      field: String(field),
      code: 'too_long',
      allowed: { max_length: Number(max) },
    }),
    de: 'Das Passwort darf höchstens {max} Zeichen haben.',
    en: 'The password must have at most {max} characters.',
  },
  password_common: {
    status: 400,
    field: ({ field }) => ({ field: String(field), code: 'password_common' }),
    de: 'Dieses Passwort ist leicht zu erraten. Nehmen Sie zum Beispiel vier zufällige Wörter.',
    en: 'This password is easy to guess. For example, use four random words.',
  },
  password_link_invalid: {
    status: 403,
    de: 'Dieser Link wurde schon benutzt oder ist abgelaufen. Bitten Sie einen Administrator um einen neuen.',
    en: 'This link was used already or has expired. Ask an administrator for a new one.',
  },
  setup_done: {
    status: 409,
    de: 'Es gibt schon einen Administrator. Bitte melden Sie sich an.',
    en: 'There is an administrator already. Please sign in.',
  },
  setup_token_invalid: {
    status: 403,
    de: 'Dieses Einrichtungs-Token ist falsch oder abgelaufen. Es gilt 24 Stunden. Starten Sie den Dienst neu. Verwenden Sie dann den Wert von SETUP_TOKEN, oder das Token, das der Dienst in sein Log schreibt, wenn SETUP_TOKEN nicht gesetzt ist.',
    en: 'This setup token is wrong or has expired. It is valid for 24 hours. Restart the service. Then use the value of SETUP_TOKEN, or, if it is not set, the token that the service writes to its log.',
  },
  email_invalid: {
    status: 400,
    field: { field: 'email', code: 'bad_format', allowed: { format: 'email' } },
    de: 'Das ist keine gültige E-Mail-Adresse. Richtig ist zum Beispiel anna@example.com.',
    en: 'This is not an e-mail address. Use one such as anna@example.com.',
  },
  email_taken: {
    status: 409,
    de: 'Eine andere Person hat diese E-Mail-Adresse schon. Ein Administrator kann ihre Rolle und ihre Standorte ändern.',
    en: 'Another person already has this e-mail address. An administrator can change the role and the sites of that person.',
    terminal:
      'Another person has the e-mail address {email} already. List all people with `voucher-service staff list`.',
  },
  person_not_found: {
    ...notFound,
    terminal: 'Nobody has the e-mail address {named}. List all people with `voucher-service staff list`.',
  },
  person_inactive: {
    status: 409,
    de: 'Diese Person ist nicht aktiv. Aktivieren Sie sie zuerst.',
    en: 'This person is not active. Activate the person first.',
    terminal: '{named} is not active. Activate the person with `voucher-service staff set {named} --active`.',
  },
  last_administrator: {
    status: 409,
    de: 'Das ist der letzte aktive Administrator. Machen Sie zuerst eine andere Person zum Administrator.',
    en: 'This is the last active administrator. Make another person an administrator first.',
    terminal:
      'This is the last active administrator. Make another person an administrator first, with `voucher-service staff set --role admin`.',
  },
  person_sites_missing: {
    status: 400,
    field: {
      field: 'site_ids',
      code: 'one_of_required',
      allowed: { fields: ['site_ids', 'all_sites'] },
    },
    de: 'Wählen Sie die Standorte, die diese Person benutzen darf. Nur Administratoren brauchen keine.',
    en: 'Choose the sites that this person may use. Only administrators need none.',
    terminal:
      'The person is an administrator and may use all sites. Say which sites the person may use in the new role: --site <id>, which you can repeat, or --all-sites.',
  },
  own_account: {
    status: 409,
    de: 'Das geht nicht für Ihr eigenes Konto. Bitten Sie einen anderen Administrator. Ihr Passwort ändern Sie unter „Mein Konto“.',
    en: 'You cannot do this for your own account. Ask another administrator. You can change your password under “My account”.',
  },
  rights_beyond_own: {
    status: 403,
    de: 'Sie können nur die Rolle „Empfang“ und nur Ihre eigenen Standorte vergeben.',
    en: 'You can assign only the role “Desk” and only your own sites.',
  },
}
