import type { ControllerCheck } from '#domain/controllers/check-controller.ts'
import type { CheckCause } from '#drivers/layer-check.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { shellWord } from '#lib/shell-word.ts'
import { visibleText } from '#lib/visible-text.ts'
import type { Language } from '../server/preferred-language.ts'
import { fillPlaceholders } from './fill-placeholders.ts'

/** `terminal`: the text for the command line, if it is not the English text followed by the reason. */
type CheckCauseEntry = Record<Language, string> & { terminal?: string }

/** Every cause of a failed connection test: what happened and what to do. A cause without an entry does not compile. */
export const checkCauseTexts: Record<CheckCause, CheckCauseEntry> = {
  address_forbidden: {
    en: 'This address is not allowed for a controller. Link-local, metadata and multicast addresses are blocked, and so are the ports of this service. Enter the address of the controller.',
    de: 'Diese Adresse ist für einen Controller nicht erlaubt. Link-lokale, Metadaten- und Multicast-Adressen sind gesperrt, ebenso die Ports dieses Dienstes. Geben Sie die Adresse des Controllers ein.',
  },
  name_unknown: {
    en: 'No address was found for {host}. Check the spelling, or enter the IP address.',
    de: 'Für {host} wurde keine Adresse gefunden. Prüfen Sie die Schreibweise oder geben Sie die IP-Adresse ein.',
  },
  port_closed: {
    en: 'Nothing listens on port {port} of {host}. Check that the controller is running. Then check the port: it is in the address that you use to open the controller in a browser.',
    de: 'Auf Port {port} von {host} antwortet kein Programm. Prüfen Sie, ob der Controller läuft. Prüfen Sie dann den Port: Er steht in der Adresse, mit der Sie den Controller im Browser öffnen.',
  },
  no_answer: {
    en: '{host} did not answer in time on port {port}. Check that the controller is switched on, that it is on a network that this service can reach, and that no firewall blocks the port.',
    de: '{host} hat auf Port {port} nicht rechtzeitig geantwortet. Prüfen Sie, ob der Controller eingeschaltet ist, ob dieser Dienst sein Netz erreicht und ob eine Firewall den Port sperrt.',
    terminal:
      '{host} did not answer in time on port {port}. Check that the controller is switched on, and that no firewall blocks the port. If it accepts connections, it may be starting or hang: wait a few minutes, then restart it. Reason: {reason}.',
  },
  no_connection: {
    en: 'There is no connection to {host}, port {port}. Check the network between this service and the controller.',
    de: 'Es gibt keine Verbindung zu {host}, Port {port}. Prüfen Sie das Netz zwischen diesem Dienst und dem Controller.',
  },
  not_tls: {
    en: 'Port {port} does not use TLS. Check the port. If the controller really has no TLS, enter the address with http://.',
    de: 'Port {port} verwendet kein TLS. Prüfen Sie den Port. Wenn der Controller wirklich kein TLS hat, geben Sie die Adresse mit http:// ein.',
  },
  tls_required: {
    en: 'The controller uses TLS. Enter the address with https://.',
    de: 'Der Controller verwendet TLS. Geben Sie die Adresse mit https:// ein.',
    terminal: 'The controller uses TLS. Use its https:// address: `{set} --address https://… --new-secret`.',
  },
  plain_http: {
    en: 'The connection is not encrypted: others on the network can read the credentials. Use https:// if the controller offers it.',
    de: 'Die Verbindung ist nicht verschlüsselt: Andere im Netz können die Zugangsdaten mitlesen. Verwenden Sie https://, wenn der Controller es anbietet.',
  },
  certificate_self_signed: {
    en: 'The certificate is self-signed, as usual for a controller. Compare its fingerprint with the one that the controller shows. If they are the same, trust it.',
    de: 'Das Zertifikat ist selbst signiert, wie bei Controllern üblich. Vergleichen Sie den Fingerabdruck mit dem, den der Controller anzeigt. Sind beide gleich, vertrauen Sie ihm.',
    terminal:
      '{fingerprint} is not pinned, and no public certificate authority has signed it ({reason}). {ownAuthority}Compare it with what the controller shows, then run `{set} --pin {fingerprint} --new-secret`.',
  },
  certificate_expired: {
    en: 'The certificate is not valid at this time. Renew it on the controller. Or compare its fingerprint with the one that the controller shows, and trust it.',
    de: 'Das Zertifikat ist zurzeit nicht gültig. Erneuern Sie es auf dem Controller. Oder vergleichen Sie den Fingerabdruck mit dem, den der Controller anzeigt, und vertrauen Sie ihm.',
    terminal:
      '{fingerprint} is not pinned, and its certificate is not valid at this time ({reason}). Renew it on the controller. Or compare it with what the controller shows, then run `{set} --pin {fingerprint} --new-secret`.',
  },
  certificate_for_other_name: {
    en: 'The certificate is for a different name than {host}. Enter the address with the name in the certificate. Or compare its fingerprint with the one that the controller shows, and trust it.',
    de: 'Das Zertifikat gilt für einen anderen Namen als {host}. Geben Sie die Adresse mit dem Namen aus dem Zertifikat ein. Oder vergleichen Sie den Fingerabdruck mit dem, den der Controller anzeigt, und vertrauen Sie ihm.',
    terminal:
      '{fingerprint} is not pinned, and its certificate is for a different name than {host} ({reason}). Use the name in the certificate. Or compare it with what the controller shows, then run `{set} --pin {fingerprint} --new-secret`.',
  },
  certificate_changed: {
    en: 'The controller shows a different certificate than before. It may be a new one, or somebody may be intercepting the connection. Compare its fingerprint with the one that the controller shows before you trust it.',
    de: 'Der Controller zeigt ein anderes Zertifikat als bisher. Es kann ein neues sein, oder jemand fängt die Verbindung ab. Vergleichen Sie den Fingerabdruck mit dem, den der Controller anzeigt, bevor Sie ihm vertrauen.',
    terminal:
      '{fingerprint} is not the pinned {pin}: it is new, or somebody intercepts the connection. Compare it with what the controller shows. Only if both are the same, run `{set} --pin {fingerprint} --new-secret`.',
  },
  credentials_missing: {
    en: 'Enter the credentials to test the sign-in.',
    de: 'Geben Sie die Zugangsdaten ein, um die Anmeldung zu testen.',
    terminal: 'No credentials are stored. Enter them with `{set}{username} --new-secret`.',
  },
  credentials_not_reused: {
    en: 'The stored credentials are sent only to the stored address and certificate. Enter them again.',
    de: 'Die gespeicherten Zugangsdaten werden nur an die gespeicherte Adresse und das gespeicherte Zertifikat gesendet. Geben Sie sie neu ein.',
  },
  credentials_refused: {
    en: 'The controller rejected the {credentials}. It may have been changed on the controller. Enter it again.',
    de: 'Der Controller hat {credentials} abgelehnt. Vielleicht wurden die Zugangsdaten auf dem Controller geändert. Geben Sie sie neu ein.',
    terminal:
      'The controller does not accept the stored credentials: {reason}. Enter new ones with `{set}{username} --new-secret`.',
  },
  cloud_account: {
    en: 'A user name with @ is a cloud account, which needs a second factor. Create a local administrator on the controller and use it here.',
    de: 'Ein Benutzername mit @ ist ein Cloud-Konto und braucht einen zweiten Faktor. Legen Sie auf dem Controller einen lokalen Administrator an und verwenden Sie ihn hier.',
  },
  second_factor: {
    en: 'This account needs a second factor. Create a local administrator without one on the controller and use it here.',
    de: 'Dieses Konto braucht einen zweiten Faktor. Legen Sie auf dem Controller einen lokalen Administrator ohne zweiten Faktor an und verwenden Sie ihn hier.',
    terminal:
      'This account needs a second factor. Create a local administrator without one on the controller, then run `{set}{username} --new-secret`.',
  },
  sign_ins_too_many: {
    en: 'There were too many sign-ins in the last minute. Wait a minute, so that the controller does not lock the account. Then test again.',
    de: 'In der letzten Minute gab es zu viele Anmeldungen. Warten Sie eine Minute, damit der Controller das Konto nicht sperrt. Testen Sie dann erneut.',
  },
  no_permission: {
    en: 'The account may not create vouchers there. Give it that right on the controller, or use another account.',
    de: 'Das Konto darf dort keine Voucher erstellen. Geben Sie ihm auf dem Controller dieses Recht oder verwenden Sie ein anderes Konto.',
  },
  site_missing: {
    en: 'The controller has no site {site}, or the account cannot see it. Sites it can see: {sites}.',
    de: 'Der Controller hat keinen Standort {site}, oder das Konto sieht ihn nicht. Sichtbare Standorte: {sites}.',
    terminal: '{reason}. Sites it can see: {sites}.',
  },
  no_sites: {
    en: 'The account cannot see any site. Give it access to a site on the controller.',
    de: 'Das Konto sieht keinen Standort. Geben Sie ihm auf dem Controller Zugang zu einem Standort.',
  },
  wrong_driver: {
    en: 'The program at {host} does not have the API of {driver}. Choose the other kind of access. Or check the port, and remove everything after it from the address.',
    de: 'Das Programm unter {host} hat nicht die API von {driver}. Wählen Sie die andere Art des Zugangs. Oder prüfen Sie den Port und entfernen Sie alles, was in der Adresse danach steht.',
    terminal:
      'The program at {host} does not have the API of {driver}: {reason}. Check the driver and the port, and remove everything after the port from the address.',
  },
  controller_busy: {
    en: 'The controller is busy. Wait a minute, then test again.',
    de: 'Der Controller ist gerade ausgelastet. Warten Sie eine Minute und testen Sie dann erneut.',
  },
  controller_failed: {
    en: 'The controller answered with an error. It may be starting. Test again in a few minutes.',
    de: 'Der Controller hat mit einem Fehler geantwortet. Vielleicht startet er gerade. Testen Sie in ein paar Minuten erneut.',
  },
}

const credentialWords = {
  login: { en: 'user name or password', de: 'Benutzername oder Passwort' },
  'api-key': { en: 'API key', de: 'den API-Schlüssel' },
}
/** How many sites a sentence names. */
const namedSites = 20
const none = { en: 'none', de: 'keine' }

type Checked = Pick<ControllerCheck, 'address' | 'driver' | 'credentials'> &
  Partial<Pick<ControllerCheck, 'port' | 'sites' | 'certificate'>>

/** The sentence for a cause, with the facts of the check in it. */
export function describeCheckCause(cause: CheckCause, checked: Checked, site: string, language: Language): string {
  return fillPlaceholders(checkCauseTexts[cause][language], detailsOf(checked, site, language))
}

type RecordedController = { controllerName: string; controllerSite: string; certificatePin: Buffer | null }

/** The text for the command line, with the commands that correct the failure. */
export function describeCheckCauseInTerminal(
  { cause, detail: reason = '' }: { cause: CheckCause; detail?: string },
  checked: Checked,
  { controllerName, controllerSite, certificatePin }: RecordedController,
): string {
  const { en, terminal = reason ? `${en} Reason: {reason}.` : en } = checkCauseTexts[cause]
  const text = fillPlaceholders(terminal, {
    ...detailsOf(checked, controllerSite, 'en'),
    reason,
    set: `voucher-service controllers set ${shellWord(controllerName)}`,
    username: checked.credentials === 'login' ? ' --username …' : '',
    fingerprint: checked.certificate?.fingerprint ?? '',
    pin: certificatePin ? formatFingerprint(certificatePin) : '',
    ownAuthority: reason === selfSigned ? '' : ownAuthorityHint,
  })
  return visibleText(text, maxTextLength)
}

/** Enough for the names of all sites that a sentence names. */
const maxTextLength = 3_000
/** The code of OpenSSL for a certificate that no authority has signed, not even one of the operator. */
const selfSigned = 'DEPTH_ZERO_SELF_SIGNED_CERT'
const ownAuthorityHint =
  'If your own certificate authority has signed it, set NODE_EXTRA_CA_CERTS to the file with its certificate. Otherwise pin it. '

function detailsOf(checked: Checked, site: string, language: Language) {
  const { hostname } = URL.canParse(checked.address) ? new URL(checked.address) : { hostname: checked.address }
  const sites = (checked.sites ?? [])
    .slice(0, namedSites)
    .map(({ ids: [id], name }) => (id === name ? id : `${id} (${name})`))
  return {
    host: hostname,
    port: checked.port ?? '',
    driver: checked.driver,
    credentials: credentialWords[checked.credentials][language],
    site,
    sites: sites.join(', ') || none[language],
  }
}
