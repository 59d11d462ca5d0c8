import type { SiteErrorCode } from '#domain/errors.ts'
import type { ErrorEntry } from './error-entry.ts'

/** Errors of sites, of what their guests see, and of settings of the whole service. */
export const siteErrors: Record<SiteErrorCode, ErrorEntry> = {
  site_id_required: { field: { field: 'site_id', code: 'required' } },
  site_not_found: {
    status: 404,
    error: 'not_found',
    headers: { 'voucher-outcome': 'none' },
    de: 'Site nicht gefunden',
    en: 'Site not found',
    terminal: 'No site has the id {ids}. List all sites with `voucher-service sites list`.',
  },
  display_name_invalid: {
    status: 400,
    field: ({ field, max }) => ({
      field: String(field),
      code: 'bad_format',
      allowed: { min_length: 1, max_length: Number(max) },
    }),
    de: '{field} muss eine Zeile aus 1 bis {max} sichtbaren Zeichen sein',
    en: '{field} must be one line of 1 to {max} visible characters',
    terminal: 'The name is not valid. Use one line of 1 to {max} visible characters.',
  },
  all_sites_required: {
    status: 403,
    de: 'Das dürfen nur Administratoren und API-Schlüssel für alle Standorte.',
    en: 'Only administrators, and API keys for all sites, may do this.',
  },
  controller_site_taken: {
    status: 409,
    de: 'Ein anderer Standort verwendet schon den Standort {controllerSite} dieses Controllers. Wählen Sie einen anderen.',
    en: 'Another site already uses the site {controllerSite} of this controller. Choose another one.',
    terminal:
      '"{controllerSite}" on {controller} belongs to another site already. List all sites with `voucher-service sites list`.',
  },
  site_numbers_used_up: {
    status: 409,
    de: 'Alle Nummern für Standorte sind vergeben. Wer den Dienst betreibt, muss LAST_SITE_NUMBER erhöhen.',
    en: 'All numbers for sites are used up. The operator of the service must raise LAST_SITE_NUMBER.',
    terminal:
      'All numbers for sites are used up. Raise LAST_SITE_NUMBER and run `voucher-service migrate`, or add the site to another cell.',
  },
  site_in_use: {
    status: 409,
    de: 'Der Standort kann nicht entfernt werden. Auf ihn verweisen noch: {by}. Sind Voucher oder Batches darunter, kann er nur deaktiviert werden. Sonst entfernen Sie zuerst die Verweise.',
    en: 'The site cannot be removed: {by} still refer to it. If these include vouchers or batches, it can only be deactivated. Otherwise remove the references first.',
    terminal:
      'Site {id} cannot be removed: {by} still refer to it. Close the site with `voucher-service sites deactivate {id}` instead. If it has no vouchers or batches, you can also remove the references first.',
  },
  site_inactive: {
    status: 409,
    de: 'Der Standort ist nicht aktiv. Aktivieren Sie ihn zuerst.',
    en: 'The site is not active. Activate it first.',
    terminal: 'Site {id} is not active. Activate it with `voucher-service sites activate {id}`.',
  },
  wifi_name_too_long: {
    field: ({ max }) => ({
      field: 'wifi_name',
      code: 'too_many_bytes',
      allowed: { max_bytes: Number(max) },
    }),
    terminal: 'The Wi-Fi name must have 1 to {max} bytes in UTF-8. An umlaut has two.',
  },
  wifi_name_unprintable: {
    field: { field: 'wifi_name', code: 'unprintable' },
    terminal: 'The Wi-Fi name contains characters that cannot be printed. Remove them.',
  },
  wifi_password_invalid: {
    field: { field: 'wifi_password', code: 'wifi_password_invalid' },
    terminal:
      'The Wi-Fi password is not valid. Use 8 to 63 printable ASCII characters (no umlauts), or 64 hexadecimal digits.',
  },
  time_zone_unknown: {
    field: { field: 'time_zone', code: 'time_zone_unknown', allowed: { example: 'Europe/Vienna' } },
    terminal: 'There is no time zone "{timeZone}". Use a name such as Europe/Vienna.',
  },
  time_zone_fixed: {
    status: 403,
    de: 'Der Standort hat ein Limit für Voucher am Tag, und ein Tag richtet sich nach der Zeitzone. Bitten Sie einen Administrator, sie zu ändern.',
    en: 'The site has a limit of vouchers a day, and a day depends on the time zone. Ask an administrator to change it.',
  },
  guest_language_unknown: {
    field: ({ index, allowed }) => ({
      field: `guest_languages[${index}]`,
      code: 'not_one_of',
      allowed: { values: String(allowed).split(', ') },
    }),
    terminal: 'Slips cannot be printed in the language "{language}". Choose from {allowed}.',
  },
  guest_language_repeated: {
    field: ({ index }) => ({ field: `guest_languages[${index}]`, code: 'repeated' }),
    terminal: 'The language "{language}" is given twice. Remove one of the two.',
  },
  footer_too_long: {
    field: ({ max }) => ({ field: 'footer', code: 'too_long', allowed: { max_length: Number(max) } }),
    terminal: 'The footer is longer than {max} characters. Shorten it.',
  },
  footer_unprintable: {
    field: { field: 'footer', code: 'unprintable' },
    terminal: 'The footer must be one line of visible text. Use --no-footer to remove it.',
  },
  slip_line_repeated: {
    field: ({ index }) => ({ field: `slip_lines[${index}]`, code: 'repeated' }),
    terminal: 'The line "{line}" is given twice. Remove one of the two.',
  },
  slip_code_missing: {
    field: { field: 'slip_lines', code: 'slip_code_missing' },
    terminal: 'A slip must have the line "code".',
  },
  room_days_out_of_range: {
    field: ({ min, max }) => ({
      field: 'room_days',
      code: 'out_of_range',
      allowed: { minimum: Number(min), maximum: Number(max) },
    }),
    terminal: 'The room to extend must be a whole number of days from {min} to {max}.',
  },
  logo_too_large: {
    status: 413,
    error: 'payload_too_large',
    headers: { connection: 'close' },
    de: 'Das Logo ist größer als {maxKiB} KiB. Verkleinern Sie es.',
    en: 'The logo is larger than {maxKiB} KiB. Make it smaller.',
  },
  logo_type_unsupported: {
    status: 415,
    de: 'Das Logo ist weder PNG noch JPEG. Speichern Sie es als PNG oder JPEG.',
    en: 'The logo is neither a PNG nor a JPEG. Save it as PNG or JPEG.',
  },
  logo_unreadable: {
    status: 400,
    field: { field: 'body', code: 'bad_format' },
    de: 'Das Logo ist nicht lesbar: Die Datei ist beschädigt. Speichern Sie es noch einmal als PNG oder JPEG.',
    en: 'The logo cannot be read: the file is damaged. Save it again as PNG or JPEG.',
  },
  logo_dimensions_too_large: {
    status: 400,
    field: ({ max }) => ({ field: 'body', code: 'out_of_range', allowed: { maximum: Number(max) } }),
    de: 'Das Logo hat {width} × {height} Pixel. Erlaubt sind höchstens {max} × {max}.',
    en: 'The logo has {width} × {height} pixels. At most {max} × {max} are allowed.',
  },
  setting_fixed: {
    status: 409,
    de: 'Die Umgebungsvariable {variable} legt das fest. Wer den Dienst betreibt, kann sie ändern oder entfernen.',
    en: 'The environment variable {variable} sets this. The operator of the service can change or remove it.',
  },
}
