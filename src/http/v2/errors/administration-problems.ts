import type { AdministrationErrorCode } from '#domain/errors.ts'
import type { Problem } from './problems.ts'

/** Failures of administration that a request of API v2 can cause. Only commands can cause the others. */
type ManageErrorCode = Exclude<
  AdministrationErrorCode,
  | 'site_recorded_under_other_name'
  | 'row_repeated'
  | 'row_length_wrong'
  | 'column_not_yes_or_no'
  | 'column_empty'
  | 'column_invalid'
  | 'column_not_fingerprint'
  | 'controller_column_empty'
  | 'controller_recorded_differently'
  | 'controller_row_differs'
  | 'controller_row_refused'
  | 'webhook_events_invalid'
  | `key_${string}`
>

const notFound: Problem = { status: 404, error: 'not_found', messages: { de: 'Nicht gefunden', en: 'Not found' } }

const rejected = (error: ManageErrorCode, de: string, en: string): Problem => ({
  status: 400,
  error,
  messages: { de, en },
})
/** A problem of one or more fields. Its message comes from the sentences of the fields. */
export const invalidRequest: Problem = {
  status: 400,
  error: 'invalid_request',
  messages: { de: 'Die Anfrage ist ungültig', en: 'The request is invalid' },
}
const conflict = (error: ManageErrorCode, de: string, en: string): Problem => ({
  status: 409,
  error,
  messages: { de, en },
})

/** Status, name and messages of every failure of administration. A code that is missing here does not compile. */
export const administrationProblems: Record<ManageErrorCode, Problem> = {
  all_sites_required: {
    status: 403,
    error: 'all_sites_required',
    messages: {
      de: 'Das dürfen nur Administratoren und API-Schlüssel für alle Standorte.',
      en: 'Only administrators, and API keys for all sites, may do this.',
    },
  },
  display_name_invalid: rejected(
    'display_name_invalid',
    '{field} muss eine Zeile aus 1 bis {max} sichtbaren Zeichen sein',
    '{field} must be one line of 1 to {max} visible characters',
  ),

  controller_not_found: notFound,
  controller_name_taken: conflict(
    'controller_name_taken',
    'Ein anderer Controller heißt schon {name}. Wählen Sie einen anderen Namen.',
    'Another controller is already called {name}. Choose another name.',
  ),
  controller_in_use: conflict(
    'controller_in_use',
    'Der Controller hat noch Standorte: {sites}. Entfernen Sie zuerst die Standorte.',
    'The controller still has sites: {sites}. Remove the sites first.',
  ),
  controller_check_failed: conflict(
    'controller_check_failed',
    'Die Standorte des Controllers konnten nicht gelesen werden ({failure}). Mit "unchecked": true entfällt diese Prüfung.',
    'The controller could not be asked for its sites ({failure}). Send "unchecked": true to skip this check.',
  ),
  controller_sites_unknown: conflict(
    'controller_check_failed',
    'Die Standorte des Controllers konnten nicht gelesen werden ({failure}). Testen Sie die Verbindung zum Controller.',
    'The controller could not be asked for its sites ({failure}). Test the connection to the controller.',
  ),
  controller_site_not_found: rejected(
    'controller_site_not_found',
    'Der Controller hat keinen Standort {controllerSite}, oder das Konto sieht ihn nicht. Sichtbare Standorte: {sites}',
    'The controller has no site {controllerSite}, or the account cannot see it. Sites it can see: {sites}',
  ),
  controller_address_unreadable: rejected(
    'controller_address_unreadable',
    'address ist ungültig. Richtig ist zum Beispiel {example}',
    'address must {rule}, e.g. {example}',
  ),
  controller_address_with_extras: rejected(
    'controller_address_with_extras',
    'address darf weder Benutzername noch Passwort, Abfrage oder Fragment enthalten',
    'address must not contain a user name, password, query or fragment',
  ),
  certificate_pin_without_tls: rejected(
    'certificate_pin_without_tls',
    'certificate_pin geht nur mit einer https://-Adresse',
    'certificate_pin needs an https:// address',
  ),
  cloud_account: rejected(
    'cloud_account',
    'username mit @ ist ein Cloud-Konto. Legen Sie auf dem Controller ein lokales Konto an.',
    'A username with @ is a cloud account. Create a local account on the controller.',
  ),
  driver_not_found: rejected('driver_not_found', 'Es gibt keinen Treiber {driver}', 'There is no driver {driver}'),
  username_not_supported: rejected(
    'username_not_supported',
    '{driver} meldet sich mit einem API-Schlüssel an. Lassen Sie username weg.',
    '{driver} signs in with an API key. Leave out username.',
  ),
  username_required: rejected(
    'username_required',
    '{driver} braucht username und secret',
    '{driver} needs username and secret',
  ),
  username_without_secret: rejected(
    'username_without_secret',
    'username kann nur zusammen mit secret geändert werden',
    'username can only be changed together with secret',
  ),

  controller_site_taken: conflict(
    'controller_site_taken',
    'Ein anderer Standort verwendet schon den Standort {controllerSite} dieses Controllers. Wählen Sie einen anderen.',
    'Another site already uses the site {controllerSite} of this controller. Choose another one.',
  ),
  site_numbers_used_up: conflict(
    'site_numbers_used_up',
    'Alle Nummern für Standorte sind vergeben. Wer den Dienst betreibt, muss LAST_SITE_NUMBER erhöhen.',
    'All numbers for sites are used up. The operator of the service must raise LAST_SITE_NUMBER.',
  ),
  site_in_use: conflict(
    'site_in_use',
    'Der Standort kann nicht entfernt werden. Auf ihn verweisen noch: {by}. Sind Voucher oder Batches darunter, kann er nur deaktiviert werden. Sonst entfernen Sie zuerst die Verweise.',
    'The site cannot be removed: {by} still refer to it. If these include vouchers or batches, it can only be deactivated. Otherwise remove the references first.',
  ),
  csv_too_large: {
    status: 413,
    error: 'payload_too_large',
    messages: {
      de: 'Die Datei ist größer als {maxKiB} KiB. Teilen Sie sie auf.',
      en: 'The file is larger than {maxKiB} KiB. Split it into smaller files.',
    },
  },
  csv_too_long: rejected(
    'csv_too_long',
    'Die Datei hat mehr als {max} Zeilen. Teilen Sie sie auf.',
    'The file has more than {max} rows. Split it into smaller files.',
  ),
  csv_not_utf8: rejected(
    'csv_not_utf8',
    'Die Datei ist nicht in UTF-8. Speichern Sie sie als „CSV UTF-8“.',
    'The file is not UTF-8. Save it as CSV UTF-8.',
  ),
  csv_unreadable: rejected(
    'csv_unreadable',
    'Die Datei ist nach Zeile {line} kein gültiges CSV: Dort fehlt ein Anführungszeichen, oder es steht falsch.',
    'The file is not valid CSV after line {line}: a quote is missing or misplaced.',
  ),
  csv_columns_missing: rejected(
    'csv_columns_missing',
    'In der ersten Zeile fehlt die Spalte {columns}. Nötig sind die Spalten {required}. Erlaubt sind auch {optional}.',
    'The first line has no column {columns}. It must have the columns {required} and may have {optional}.',
  ),
  csv_columns_unknown: rejected(
    'csv_columns_unknown',
    'In der ersten Zeile steht die unbekannte Spalte {columns}. Nötig sind die Spalten {required}. Erlaubt sind auch {optional}.',
    'The first line has an unknown column {columns}. It must have the columns {required} and may have {optional}.',
  ),
  csv_columns_repeated: rejected(
    'csv_columns_repeated',
    'Die Spalte {columns} steht mehrmals in der ersten Zeile. Lassen Sie nur eine davon stehen.',
    'The first line has the column {columns} more than once. Keep only one of them.',
  ),
  import_refused: conflict(
    'import_refused',
    'Zeilen, die nicht hinzugefügt werden können: {count}. Es wurde keine Zeile hinzugefügt. Korrigieren Sie die Datei und importieren Sie sie noch einmal.',
    'Rows that cannot be added: {count}. No row was added. Correct the file and import it again.',
  ),
  site_inactive: conflict(
    'site_inactive',
    'Der Standort ist nicht aktiv. Aktivieren Sie ihn zuerst.',
    'The site is not active. Activate it first.',
  ),

  wifi_name_too_long: invalidRequest,
  wifi_name_unprintable: invalidRequest,
  wifi_password_invalid: invalidRequest,
  time_zone_unknown: invalidRequest,
  guest_language_unknown: invalidRequest,
  guest_language_repeated: invalidRequest,
  footer_too_long: invalidRequest,
  footer_unprintable: invalidRequest,
  room_days_out_of_range: invalidRequest,
  logo_too_large: {
    status: 413,
    error: 'payload_too_large',
    messages: {
      de: 'Das Logo ist größer als {maxKiB} KiB. Verkleinern Sie es.',
      en: 'The logo is larger than {maxKiB} KiB. Make it smaller.',
    },
    headers: { connection: 'close' },
  },
  logo_type_unsupported: {
    status: 415,
    error: 'logo_type_unsupported',
    messages: {
      de: 'Das Logo ist weder PNG noch JPEG. Speichern Sie es als PNG oder JPEG.',
      en: 'The logo is neither a PNG nor a JPEG. Save it as PNG or JPEG.',
    },
  },
  logo_unreadable: rejected(
    'logo_unreadable',
    'Das Logo ist nicht lesbar: Die Datei ist beschädigt. Speichern Sie es noch einmal als PNG oder JPEG.',
    'The logo cannot be read: the file is damaged. Save it again as PNG or JPEG.',
  ),
  logo_dimensions_too_large: rejected(
    'logo_dimensions_too_large',
    'Das Logo hat {width} × {height} Pixel. Erlaubt sind höchstens {max} × {max}.',
    'The logo has {width} × {height} pixels. At most {max} × {max} are allowed.',
  ),

  template_not_found: notFound,
  template_name_taken: conflict(
    'template_name_taken',
    'Eine andere Vorlage für dieselben Standorte heißt schon {name}. Wählen Sie einen anderen Namen.',
    'Another template for the same sites is already called {name}. Choose another name.',
  ),

  webhook_not_found: notFound,
  webhook_name_taken: conflict(
    'webhook_name_taken',
    'Ein anderer Webhook heißt schon {name}. Wählen Sie einen anderen Namen.',
    'Another webhook is already called {name}. Choose another name.',
  ),
  webhooks_of_site_too_many: conflict(
    'webhooks_of_site_too_many',
    'Der Standort {site} hat schon {max} Webhooks, mehr sind nicht möglich. Entfernen Sie zuerst einen davon.',
    'Site {site} already has {max} webhooks, the most that a site can have. Remove one first.',
  ),
  webhooks_of_all_sites_too_many: conflict(
    'webhooks_of_all_sites_too_many',
    'Höchstens {max} Webhooks können für alle Standorte gelten, und so viele gibt es schon. Wählen Sie einzelne Standorte, oder entfernen Sie zuerst einen davon.',
    'There are already {max} webhooks for all sites, the most that are possible. Choose some sites, or remove one of these webhooks first.',
  ),
  webhook_url_unreadable: rejected(
    'webhook_url_unreadable',
    'Die Adresse (url) muss mit https:// beginnen',
    'The address (url) must begin with https://',
  ),
  webhook_url_with_credentials: rejected(
    'webhook_url_with_credentials',
    'Die Adresse (url) darf weder Benutzername noch Passwort enthalten',
    'The address (url) must not contain a user name or password',
  ),
  webhook_url_forbidden: rejected(
    'webhook_url_forbidden',
    'Diese Adresse (url) ist nicht erlaubt. Verwenden Sie eine Adresse im öffentlichen Internet. Adressen im eigenen Netz kann der Betreiber des Dienstes mit WEBHOOK_ALLOW_CIDRS erlauben.',
    'This address (url) is not allowed. Use an address on the public internet. The person who runs the service can allow addresses on your own network with WEBHOOK_ALLOW_CIDRS.',
  ),
  webhook_unsigned: conflict(
    'webhook_unsigned',
    'Der Webhook {name} hat kein Geheimnis. Nur Webhooks mit dem Format generic sind signiert.',
    'The webhook {name} has no signing secret. Only webhooks with the format generic are signed.',
  ),
  webhook_disabled: conflict(
    'webhook_disabled',
    'Der Webhook {name} ist abgeschaltet. Schalten Sie ihn zuerst wieder ein.',
    'The webhook {name} is disabled. Enable it first.',
  ),
  delivery_not_found: notFound,
}
