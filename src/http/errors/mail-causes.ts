import type { MailCheckCause } from '#domain/mail-server/check-mail-server.ts'
import type { Language } from '../server/preferred-language.ts'
import { fillPlaceholders } from './fill-placeholders.ts'

type DescribedCause = MailCheckCause | 'not_set_up'

/** Every cause of a failed test or message: what happened and what to do. A cause without an entry does not compile. */
const mailCauseTexts: Record<DescribedCause, Record<Language, string>> = {
  not_set_up: {
    en: 'The mail server or the sender is missing. Enter it.',
    de: 'Der Mailserver oder der Absender fehlt. Geben Sie ihn ein.',
  },
  address_forbidden: {
    en: 'This address is not allowed for a mail server. Link-local, metadata and multicast addresses are blocked, and so are the ports of this service.',
    de: 'Diese Adresse ist für einen Mailserver nicht erlaubt. Link-lokale, Metadaten- und Multicast-Adressen sind gesperrt, ebenso die Ports dieses Dienstes.',
  },
  address_not_private: {
    en: '{host} has a public address. Without encryption, messages are sent only to private addresses. Choose STARTTLS or TLS.',
    de: '{host} hat eine öffentliche Adresse. Ohne Verschlüsselung gehen Nachrichten nur an private Adressen. Wählen Sie STARTTLS oder TLS.',
  },
  name_unknown: {
    en: 'No address was found for {host}. Check the spelling.',
    de: 'Für {host} wurde keine Adresse gefunden. Prüfen Sie die Schreibweise.',
  },
  port_closed: {
    en: 'Nothing listens on port {port} of {host}. Usual ports are 587 for STARTTLS and 465 for TLS from the start.',
    de: 'Auf Port {port} von {host} antwortet kein Programm. Üblich sind Port 587 für STARTTLS und 465 für TLS von Anfang an.',
  },
  no_answer: {
    en: '{host} did not answer in time on port {port}. Check the port and the encryption, and that no firewall blocks the connection. Many networks block port 25.',
    de: '{host} hat auf Port {port} nicht rechtzeitig geantwortet. Prüfen Sie den Port und die Verschlüsselung, und ob eine Firewall die Verbindung sperrt. Viele Netze sperren Port 25.',
  },
  no_connection: {
    en: 'There is no connection to {host}, port {port}. Check the network between this service and the mail server.',
    de: 'Es gibt keine Verbindung zu {host}, Port {port}. Prüfen Sie das Netz zwischen diesem Dienst und dem Mailserver.',
  },
  not_smtp: {
    en: 'The program on port {port} of {host} is no mail server, or it sent text without being asked. Check the port.',
    de: 'Das Programm auf Port {port} von {host} ist kein Mailserver, oder es hat ungefragt Text gesendet. Prüfen Sie den Port.',
  },
  server_refused: {
    en: 'The mail server turns this service away. Its answer says why.',
    de: 'Der Mailserver weist diesen Dienst ab. Seine Antwort sagt, warum.',
  },
  starttls_missing: {
    en: 'The mail server offers no STARTTLS on port {port}. Nothing was sent. Choose TLS from the start, usually with port 465.',
    de: 'Der Mailserver bietet auf Port {port} kein STARTTLS an. Es wurde nichts gesendet. Wählen Sie TLS von Anfang an, meist mit Port 465.',
  },
  not_tls: {
    en: 'Port {port} does not use TLS from the start. Choose STARTTLS, usually with port 587.',
    de: 'Port {port} verwendet TLS nicht von Anfang an. Wählen Sie STARTTLS, meist mit Port 587.',
  },
  certificate_self_signed: {
    en: 'No known authority has signed the certificate. Compare its fingerprint with that of the mail server. If they are the same, trust it.',
    de: 'Keine bekannte Stelle hat das Zertifikat signiert. Vergleichen Sie den Fingerabdruck mit dem des Mailservers. Sind beide gleich, vertrauen Sie ihm.',
  },
  certificate_expired: {
    en: 'The certificate is not valid at this time. Renew it on the mail server. Or compare its fingerprint, and trust it.',
    de: 'Das Zertifikat ist zurzeit nicht gültig. Erneuern Sie es auf dem Mailserver. Oder vergleichen Sie den Fingerabdruck, und vertrauen Sie ihm.',
  },
  certificate_for_other_name: {
    en: 'The certificate is for a different name than {host}. Enter the name in the certificate. Or compare its fingerprint, and trust it.',
    de: 'Das Zertifikat gilt für einen anderen Namen als {host}. Geben Sie den Namen aus dem Zertifikat ein. Oder vergleichen Sie den Fingerabdruck, und vertrauen Sie ihm.',
  },
  certificate_changed: {
    en: 'The mail server shows a different certificate than before. It may be a new one, or somebody may be intercepting the connection. Compare its fingerprint before you trust it.',
    de: 'Der Mailserver zeigt ein anderes Zertifikat als bisher. Es kann ein neues sein, oder jemand fängt die Verbindung ab. Vergleichen Sie den Fingerabdruck, bevor Sie ihm vertrauen.',
  },
  password_unencrypted: {
    en: 'Without encryption, no password is sent. Choose STARTTLS or TLS, or remove the user name.',
    de: 'Ohne Verschlüsselung wird kein Passwort gesendet. Wählen Sie STARTTLS oder TLS, oder entfernen Sie den Benutzernamen.',
  },
  password_missing: {
    en: 'Enter the password to test the sign-in.',
    de: 'Geben Sie das Passwort ein, um die Anmeldung zu testen.',
  },
  password_not_reused: {
    en: 'The stored password is sent only to the stored server and certificate. Enter it again.',
    de: 'Das gespeicherte Passwort geht nur an den gespeicherten Server mit dem gespeicherten Zertifikat. Geben Sie es neu ein.',
  },
  sign_in_not_offered: {
    en: 'The mail server asks for no sign-in here. Leave the user name empty, or check the port.',
    de: 'Der Mailserver verlangt hier keine Anmeldung. Lassen Sie den Benutzernamen leer, oder prüfen Sie den Port.',
  },
  sign_in_required: {
    en: 'The mail server wants a sign-in. Enter a user name and a password.',
    de: 'Der Mailserver verlangt eine Anmeldung. Geben Sie Benutzername und Passwort ein.',
  },
  credentials_refused: {
    en: 'The mail server rejected the user name or the password. Enter the password again. Some providers require a separate password for programs (app password).',
    de: 'Der Mailserver hat Benutzername oder Passwort abgelehnt. Geben Sie das Passwort neu ein. Manche Anbieter verlangen ein eigenes Passwort für Programme (App-Passwort).',
  },
  sender_invalid: {
    en: 'The address of the sender has the wrong format. Correct it under “Sender of each site”.',
    de: 'Die Adresse des Absenders hat ein falsches Format. Korrigieren Sie sie unter „Absender je Standort“.',
  },
  connection_lost: {
    en: 'The mail server ended the connection. Test again in a minute.',
    de: 'Der Mailserver hat die Verbindung beendet. Testen Sie in einer Minute erneut.',
  },
  not_now: {
    en: 'The mail server cannot do this now. Its answer says why. Test again in a few minutes.',
    de: 'Der Mailserver kann das gerade nicht. Seine Antwort sagt, warum. Testen Sie in ein paar Minuten erneut.',
  },
  message_rejected: {
    en: 'The mail server rejected the message. Its answer says why. Many servers allow only certain senders: check “Sender of each site”.',
    de: 'Der Mailserver hat die Nachricht abgelehnt. Seine Antwort sagt, warum. Viele Server erlauben nur bestimmte Absender: Prüfen Sie „Absender je Standort“.',
  },
}

export function describeMailCause(
  cause: DescribedCause,
  at: { host: string; port: number },
  language: Language,
): string {
  return fillPlaceholders(mailCauseTexts[cause][language], at)
}
