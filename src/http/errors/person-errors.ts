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
    de: 'Dieses Einrichtungs-Token ist falsch, oder ein neueres hat es ersetzt. Verwenden Sie den Wert von SETUP_TOKEN. Ist SETUP_TOKEN nicht gesetzt, verwenden Sie das letzte Token im Log des Dienstes.',
    en: 'This setup token is wrong, or a newer one has replaced it. Use the value of SETUP_TOKEN. If it is not set, use the last token in the log of the service.',
  },
  setup_token_expired: {
    status: 403,
    de: 'Dieses Einrichtungs-Token ist abgelaufen. Es gilt 24 Stunden. Starten Sie den Dienst neu. Verwenden Sie dann das neue Token im Log; der Wert von SETUP_TOKEN bleibt gleich.',
    en: 'This setup token has expired. It is valid for 24 hours. Restart the service. Then use the new token in the log; the value of SETUP_TOKEN stays the same.',
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
  limits_beyond_own: {
    status: 403,
    de: 'Das geht über Ihre eigenen Limits für Voucher hinaus. Bitten Sie einen Administrator.',
    en: 'This goes beyond your own limits on vouchers. Ask an administrator.',
  },
  administrator_needed: {
    status: 403,
    de: 'Das kann hier nur ein Administrator: Diese Person ist mit einem Firmenkonto verknüpft, oder ihre Rechte kommen aus Gruppen.',
    en: 'Only an administrator can do this here: this person has a linked company account, or gets rights from groups.',
  },
  second_step_ended: {
    status: 401,
    de: 'Diese Anmeldung ist abgelaufen. Geben Sie E-Mail-Adresse und Passwort noch einmal ein.',
    en: 'This sign-in has expired. Enter your e-mail address and your password again.',
  },
  second_factor_wrong: {
    status: 403,
    de: 'Dieser Code stimmt nicht. Warten Sie auf den nächsten.',
    en: 'This code is not right. Wait for the next one.',
  },
  recovery_code_wrong: {
    status: 403,
    de: 'Dieser Wiederherstellungscode stimmt nicht, oder er wurde schon benutzt.',
    en: 'This recovery code is not right, or it was used already.',
  },
  second_factor_missing: {
    status: 403,
    de: 'Ihre Rolle braucht einen zweiten Faktor. Richten Sie ihn unter „Mein Konto“ ein; dann geht es weiter.',
    en: 'Your role needs a second factor. Set one up under “My account”; then you can go on.',
  },
  last_second_factor: {
    status: 409,
    de: 'Das ist Ihr letzter zweiter Faktor, und Ihre Rolle braucht einen. Richten Sie zuerst einen anderen ein.',
    en: 'This is your last second factor, and your role needs one. Set up another one first.',
  },
  own_factor_missing: {
    status: 409,
    de: 'Ihre eigene Rolle bräuchte dann einen zweiten Faktor. Richten Sie zuerst Ihren eigenen unter „Mein Konto“ ein.',
    en: 'Your own role would then need a second factor. Set up your own under “My account” first.',
  },
  sign_in_again: {
    status: 403,
    de: 'Bitte melden Sie sich für diese Änderung noch einmal an. Ihre Anmeldung ist mehr als 15 Minuten her.',
    en: 'Please sign in again for this change. You signed in more than 15 minutes ago.',
  },
  sign_in_again_otherwise: {
    status: 403,
    de: 'Das genügt hier nicht. Bestätigen Sie mit Ihrem zweiten Faktor oder mit dem Konto Ihrer Firma.',
    en: 'This is not enough here. Confirm with your second factor or with the account of your company.',
  },
  authenticator_app_not_begun: {
    status: 409,
    de: 'Diese Einrichtung ist abgelaufen oder wurde ersetzt. Beginnen Sie noch einmal, und scannen Sie den neuen QR-Code.',
    en: 'This setup has expired or was replaced. Begin again, and scan the new QR code.',
  },
  authenticator_app_not_checked: {
    status: 409,
    de: 'Geben Sie zuerst die sechs Ziffern ein, die die App zeigt.',
    en: 'First type the six digits that the app shows.',
  },
  authenticator_app_missing: {
    status: 409,
    de: 'Sie haben keine Authentifizierungs-App. Wiederherstellungscodes gehören zu einer App.',
    en: 'You have no authenticator app. Recovery codes belong to an app.',
  },
  passkey_rejected: {
    status: 403,
    de: 'Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal, oder nehmen Sie einen anderen.',
    en: 'This passkey was not accepted. Try again, or use another one.',
  },
  passkey_counter_went_back: {
    status: 403,
    de: 'Dieser Passkey wurde nicht angenommen: Sein Zähler ist zurückgegangen. Vielleicht hat ihn jemand kopiert. Nehmen Sie einen anderen, und entfernen Sie diesen.',
    en: 'This passkey was not accepted: its counter went back. Somebody may have copied it. Use another one, and remove this one.',
  },
  passkey_known: {
    status: 409,
    de: 'Dieser Passkey ist schon eingerichtet.',
    en: 'This passkey is set up already.',
  },
  passkeys_too_many: {
    status: 409,
    de: 'Sie haben schon {max} Passkeys. Entfernen Sie zuerst einen.',
    en: 'You have {max} passkeys already. Remove one first.',
  },
  passkeys_elsewhere: {
    status: 409,
    de: 'Für diese Adresse haben Sie keinen Passkey. Öffnen Sie den Dienst unter der Adresse, unter der Sie den Passkey eingerichtet haben.',
    en: 'You have no passkey for this address. Open the service at the address at which you set up the passkey.',
  },
  password_sign_in_off: {
    status: 403,
    de: 'Die Anmeldung mit Passwort ist ausgeschaltet. Melden Sie sich mit {provider} an. Beim Notfallkonto ist das Passwort falsch.',
    en: 'Sign-in with a password is switched off. Sign in with {provider}. If this is the break-glass account, the password is wrong.',
  },
  password_sign_in_needed: {
    status: 409,
    de: 'Die Anmeldung mit Passwort lässt sich noch nicht ausschalten. Zuerst muss sich ein Administrator über den Anbieter anmelden, und Sie müssen ein Notfallkonto wählen.',
    en: 'Password sign-in cannot be switched off yet. First an administrator must sign in with the provider, and you must choose a break-glass account.',
  },
  break_glass_unfit: {
    status: 409,
    de: 'Das Notfallkonto muss ein aktiver Administrator mit einem Passwort sein, dessen Rechte nicht aus Gruppen kommen.',
    en: 'The break-glass account must be an active administrator with a password, whose rights do not come from groups.',
  },
  break_glass_needed: {
    status: 409,
    de: 'Das ist das Notfallkonto, und die Anmeldung mit Passwort ist ausgeschaltet. Wählen Sie zuerst ein anderes Notfallkonto, oder schalten Sie die Anmeldung mit Passwort ein.',
    en: 'This is the break-glass account, and sign-in with a password is switched off. Choose another break-glass account or switch password sign-in on first.',
    terminal:
      'This is the break-glass account, and sign-in with a password is switched off. Switch it on first with `voucher-service staff allow-passwords`.',
  },
  last_administrator_by_groups: {
    status: 409,
    de: 'Mit diesen Gruppen gäbe es keinen Administrator mehr. Geben Sie die Rolle „Administrator“ einer Gruppe, zu der ein Administrator gehört.',
    en: 'With these groups, no administrator would be left. Give the role “Administrator” to a group that an administrator belongs to.',
  },
  group_repeated: {
    status: 400,
    field: { field: 'groups', code: 'repeated' },
    de: 'Die Gruppe „{group}“ steht zweimal in der Tabelle.',
    en: 'The group “{group}” is in the table twice.',
  },
  rights_from_groups: {
    status: 409,
    de: 'Rolle und Standorte dieser Person kommen aus ihren Gruppen beim Anbieter. Ändern Sie die Gruppen, oder schalten Sie „Rechte aus Gruppen“ aus.',
    en: 'Role and sites of this person come from their groups at the provider. Change the groups, or switch “rights from groups” off.',
    terminal:
      'Role and sites of this person come from their groups at the provider. Change the groups, or add --no-rights-from-groups.',
  },
  identity_missing: {
    status: 409,
    de: 'Diese Person hat kein Konto des Anbieters. Sie verknüpft es selbst unter „Mein Konto“.',
    en: 'This person has no account of the provider. The person links it under “My account”.',
    terminal: 'This person has no account of the provider. Link one with `voucher-service staff link`.',
  },
  identity_needed: {
    status: 409,
    de: 'Ohne das Konto des Anbieters könnten Sie sich nicht mehr anmelden. Bitten Sie zuerst einen Administrator um einen Link für ein Passwort.',
    en: 'Without the account of the provider you could not sign in any more. Ask an administrator for a link to set a password first.',
  },
  identity_taken: {
    status: 409,
    de: 'Dieses Konto des Anbieters gehört hier schon zu einer anderen Person.',
    en: 'This account of the provider already belongs to another person here.',
    terminal:
      'This account of the provider belongs to another person. Unlink it first with `voucher-service staff unlink`.',
  },
  identity_other: {
    status: 403,
    de: 'Sie haben sich beim Anbieter mit einem anderen Konto angemeldet. Nehmen Sie das Konto, das mit Ihrem Konto hier verknüpft ist.',
    en: 'You signed in to the provider with another account. Use the one that is linked to your account here.',
  },
  provider_missing: {
    status: 409,
    de: 'Es ist kein Anbieter eingerichtet. Setzen Sie OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET und PUBLIC_URL.',
    en: 'No provider is configured. Set OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and PUBLIC_URL.',
  },
  provider_unreachable: {
    status: 503,
    de: '{provider} antwortet nicht. Versuchen Sie es später noch einmal, oder melden Sie sich mit Ihrem Passwort an.',
    en: '{provider} does not answer. Try again later, or sign in with your password.',
  },
  provider_answer_invalid: {
    status: 403,
    de: 'Die Antwort von {provider} ist nicht gültig. Melden Sie sich noch einmal an. Im Log des Dienstes steht der Grund.',
    en: 'The answer of {provider} is not valid. Sign in again. The log of the service has the reason.',
  },
  provider_sign_in_cancelled: {
    status: 403,
    de: 'Die Anmeldung wurde bei {provider} abgebrochen oder abgelehnt.',
    en: 'The sign-in was cancelled or rejected at {provider}.',
  },
  provider_sign_in_expired: {
    status: 403,
    de: 'Diese Anmeldung ist abgelaufen oder wurde in einem anderen Fenster begonnen. Melden Sie sich noch einmal an.',
    en: 'This sign-in has expired or was started in another window. Sign in again.',
  },
  provider_clock_differs: {
    status: 403,
    de: 'Die Uhr von {provider} und die Uhr dieses Dienstes gehen um mehr als fünf Minuten auseinander. Ein Administrator muss die Uhr stellen.',
    en: 'The clocks of {provider} and of this service differ by more than five minutes. An administrator must set the clock.',
  },
  provider_organisation_wrong: {
    status: 403,
    de: 'Dieses Konto gehört zu einer anderen Organisation. Melden Sie sich mit dem Konto Ihrer Firma an.',
    en: 'This account belongs to another organisation. Sign in with the account of your company.',
  },
  provider_groups_missing: {
    status: 403,
    de: 'Sie sind bei {provider} in keiner Gruppe, die hier eine Rolle hat. Bitten Sie einen Administrator, Sie in eine Gruppe aufzunehmen.',
    en: 'At {provider} you are in no group that has a role here. Ask an administrator to add you to a group.',
  },
  provider_groups_too_many: {
    status: 403,
    de: '{provider} hat Ihre Gruppen nicht gesendet, weil es zu viele sind. Ein Administrator muss den Anbieter so einstellen, dass er nur Gruppen dieser Anwendung sendet.',
    en: '{provider} did not send your groups, because there are too many. An administrator must let the provider send only the groups that are assigned to this application.',
  },
  provider_email_missing: {
    status: 403,
    de: '{provider} hat keine E-Mail-Adresse gesendet. Ein Administrator muss sie beim Anbieter freigeben oder eintragen.',
    en: '{provider} sent no e-mail address. An administrator must enter or release it at the provider.',
  },
  provider_email_taken: {
    status: 409,
    de: 'Es gibt hier schon ein Konto mit Ihrer E-Mail-Adresse. Melden Sie sich mit dem Passwort an, und verknüpfen Sie das Konto unter „Mein Konto“.',
    en: 'There is an account with your e-mail address already. Sign in with the password, and link the account under “My account”.',
  },
  provider_person_inactive: {
    status: 403,
    de: 'Ihr Konto ist nicht aktiv. Bitten Sie einen Administrator, es zu aktivieren.',
    en: 'Your account is not active. Ask an administrator to activate it.',
  },
}
