import type { PeopleErrorCode } from '#domain/errors.ts'
import type { Problem } from './problems.ts'

const problem = (status: number, error: string, de: string, en: string): Problem => ({
  status,
  error,
  messages: { de, en },
})

/** Failures of people who sign in or use the web app. A code of the domain that is missing here does not compile. */
export const peopleProblems = {
  session_ended: problem(
    401,
    'session_ended',
    'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
    'Your session has ended. Please sign in again.',
  ),
  sign_in_failed: problem(
    401,
    'sign_in_failed',
    'E-Mail-Adresse oder Passwort ist falsch.',
    'E-mail or password is wrong.',
  ),
  sign_in_unencrypted: problem(
    403,
    'sign_in_unencrypted',
    'Für den Dienst ist diese Verbindung nicht verschlüsselt. Öffnen Sie die Seite über https. Wenn Sie das schon tun: Tragen Sie die Adresse des Proxys in TRUSTED_PROXIES ein, und lassen Sie den Proxy den Header X-Forwarded-Proto senden.',
    'The service sees a connection that is not encrypted. Open the page with https. If you already do: add the address of the proxy to TRUSTED_PROXIES, and let the proxy send the header X-Forwarded-Proto.',
  ),
  sign_ins_too_many: problem(
    429,
    'sign_ins_too_many',
    'Zu viele Versuche. Bitte versuchen Sie es in {seconds} Sekunden erneut.',
    'Too many attempts. Please try again in {seconds} seconds.',
  ),
  people_only: problem(
    403,
    'people_only',
    'Das können nur angemeldete Personen, keine API-Schlüssel',
    'Only people who are signed in can do this, not API keys',
  ),
  role_missing: problem(
    403,
    'role_missing',
    'Ihre Rolle erlaubt das nicht. Ein Administrator kann Ihre Rolle ändern.',
    'Your role does not allow this. An administrator can change your role.',
  ),
  origin_mismatch: problem(
    403,
    'origin_mismatch',
    'Die Anfrage kommt nicht von der Web-App dieses Dienstes. Prüfen Sie PUBLIC_URL.',
    'The request does not come from the web app of this service. Check PUBLIC_URL.',
  ),
  content_type_required: problem(
    415,
    'content_type_required',
    'In einer Sitzung ist dieser Content-Type hier nicht erlaubt. Senden Sie JSON als application/json und eine Datei mit ihrem eigenen Typ',
    'With a session, this Content-Type is not accepted here. Send JSON as application/json, and a file with its own type',
  ),
  password_wrong: problem(403, 'password_wrong', 'Das aktuelle Passwort ist falsch.', 'The current password is wrong.'),
  password_too_short: problem(
    400,
    'password_too_short',
    'Das Passwort muss mindestens {min} Zeichen haben.',
    'The password must have at least {min} characters.',
  ),
  password_too_long: problem(
    400,
    'password_too_long',
    'Das Passwort darf höchstens {max} Zeichen haben.',
    'The password must have at most {max} characters.',
  ),
  password_common: problem(
    400,
    'password_common',
    'Dieses Passwort ist leicht zu erraten. Nehmen Sie zum Beispiel vier zufällige Wörter.',
    'This password is easy to guess. For example, use four random words.',
  ),
  password_link_invalid: problem(
    403,
    'password_link_invalid',
    'Dieser Link wurde schon benutzt oder ist abgelaufen. Bitten Sie einen Administrator um einen neuen.',
    'This link was used already or has expired. Ask an administrator for a new one.',
  ),
  setup_done: problem(
    409,
    'setup_done',
    'Es gibt schon einen Administrator. Bitte melden Sie sich an.',
    'There is an administrator already. Please sign in.',
  ),
  setup_token_invalid: problem(
    403,
    'setup_token_invalid',
    'Dieses Einrichtungs-Token ist falsch oder abgelaufen. Es gilt 24 Stunden. Starten Sie den Dienst neu. Verwenden Sie dann den Wert von SETUP_TOKEN, oder das Token, das der Dienst in sein Log schreibt, wenn SETUP_TOKEN nicht gesetzt ist.',
    'This setup token is wrong or has expired. It is valid for 24 hours. Restart the service. Then use the value of SETUP_TOKEN, or, if it is not set, the token that the service writes to its log.',
  ),
  email_invalid: problem(
    400,
    'email_invalid',
    'Das ist keine gültige E-Mail-Adresse. Richtig ist zum Beispiel anna@example.com.',
    'This is not an e-mail address. Use one such as anna@example.com.',
  ),
  email_taken: problem(
    409,
    'email_taken',
    'Eine andere Person hat diese E-Mail-Adresse schon. Ein Administrator kann ihre Rolle und ihre Standorte ändern.',
    'Another person already has this e-mail address. An administrator can change the role and the sites of that person.',
  ),
  person_not_found: problem(404, 'not_found', 'Nicht gefunden', 'Not found'),
  person_inactive: problem(
    409,
    'person_inactive',
    'Diese Person ist nicht aktiv. Aktivieren Sie sie zuerst.',
    'This person is not active. Activate the person first.',
  ),
  last_administrator: problem(
    409,
    'last_administrator',
    'Das ist der letzte aktive Administrator. Machen Sie zuerst eine andere Person zum Administrator.',
    'This is the last active administrator. Make another person an administrator first.',
  ),
  person_sites_missing: problem(
    400,
    'person_sites_missing',
    'Wählen Sie die Standorte, die diese Person benutzen darf. Nur Administratoren brauchen keine.',
    'Choose the sites that this person may use. Only administrators need none.',
  ),
  own_account: problem(
    409,
    'own_account',
    'Das geht nicht für Ihr eigenes Konto. Bitten Sie einen anderen Administrator. Ihr Passwort ändern Sie unter „Mein Konto“.',
    'You cannot do this for your own account. Ask another administrator. You can change your password under “My account”.',
  ),
  rights_beyond_own: problem(
    403,
    'rights_beyond_own',
    'Sie können nur die Rolle „Empfang“ und nur Ihre eigenen Standorte vergeben.',
    'You can assign only the role “Desk” and only your own sites.',
  ),
} satisfies Record<string, Problem> & Record<PeopleErrorCode, Problem>
