import type { AdministrationErrorCode, DomainError, ErrorCode, ErrorDetails } from '#domain/errors.ts'
import { shellWord, visibleText } from './output.ts'

/** The command cannot do what was asked. The message says why and what to do next. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
}

type Words = (details: ErrorDetails) => string

/** A message for every failure of administration, and for the other failures that a command can meet. */
const words: Record<AdministrationErrorCode, Words> & Partial<Record<ErrorCode, Words>> = {
  email_invalid: () => 'This is not an e-mail address. Use one such as anna@example.com.',
  email_taken: ({ email }) =>
    `Another person has the e-mail address ${email} already. List all people with \`voucher-service staff list\`.`,
  person_not_found: ({ named }) =>
    `Nobody has the e-mail address ${named}. List all people with \`voucher-service staff list\`.`,
  person_inactive: ({ named }) =>
    `${named} is not active. Activate the person with \`voucher-service staff set ${named} --active\`.`,
  last_administrator: () =>
    'This is the last active administrator. Make another person an administrator first, with `voucher-service staff set --role admin`.',
  person_sites_missing: () =>
    'The person is an administrator and may use all sites. Say which sites the person may use in the new role: --site <id>, which you can repeat, or --all-sites.',

  site_not_found: ({ ids }) => `No site has the id ${ids}. List all sites with \`voucher-service sites list\`.`,
  display_name_invalid: ({ max }) => `The name is not valid. Use one line of 1 to ${max} visible characters.`,

  all_sites_required: () => 'Only administrators, and API keys for all sites, may do this.',

  controller_not_found: ({ name, similar }) =>
    `No controller is called "${name}".${suggestion(similar)} List all controllers with \`voucher-service controllers list\`.`,
  controller_name_taken: ({ name }) => `Another controller is called "${name}" already. Choose another name.`,
  controller_in_use: ({ name, sites }) =>
    `"${name}" still has sites: ${sites}. Remove them first with \`voucher-service sites remove\`.`,
  controller_sites_unknown: ({ reason }) =>
    `The controller could not be asked for its sites: ${reason}. Correct this, then run the command again.`,
  controller_check_failed: ({ reason }) =>
    `The controller could not be asked for its sites: ${reason}. Correct this, or add the site with --unchecked and then run \`voucher-service sites test\`.`,
  controller_site_not_found: ({ controllerSite, sites }) =>
    `Site "${controllerSite}" was not found on the controller, or this account cannot see it. Sites it can see: ${sites || 'none'}.`,
  controller_address_unreadable: ({ rule, example }) => `The address must ${rule}, e.g. ${example}.`,
  controller_address_with_extras: () =>
    'The address must not contain a user name, password, query or fragment. Remove them.',
  certificate_pin_without_tls: () => 'Only an https:// address has a certificate. Use https://, or remove the pin.',
  cloud_account: () =>
    'A user name with @ is a cloud account, which needs a second factor. Create a local administrator on the controller and use that name.',
  driver_not_found: ({ driver }) =>
    `No driver is called "${driver}". \`voucher-service controllers add --help\` lists the drivers.`,
  username_not_supported: ({ driver, column }) =>
    `${driver} signs in with an API key. ${column ? 'Leave the column username empty.' : 'Leave out --username.'}`,
  username_required: ({ driver, column }) =>
    `${driver} signs in with a user name and password. ${column ? 'Fill in the column username.' : 'Add --username.'}`,
  username_without_secret: () =>
    'A user name can only be changed together with its password. Add --secret-file or --new-secret.',

  controller_site_taken: ({ controllerSite, controller }) =>
    `"${controllerSite}" on ${controller} belongs to another site already. List all sites with \`voucher-service sites list\`.`,
  site_numbers_used_up: () =>
    'All numbers for sites are used up. Raise LAST_SITE_NUMBER and run `voucher-service migrate`, or add the site to another cell.',
  site_in_use: ({ id, by }) =>
    `Site ${id} cannot be removed: ${by} still refer to it. Close the site with \`voucher-service sites deactivate ${id}\` instead. If it has no vouchers or batches, you can also remove the references first.`,
  site_inactive: ({ id }) => `Site ${id} is not active. Activate it with \`voucher-service sites activate ${id}\`.`,
  site_recorded_under_other_name: ({ controllerSite, controller, name, id }) =>
    `"${controllerSite}" on ${controller} is already recorded as site ${id}, "${name}". Use that name, or remove the row.`,
  row_repeated: ({ controllerSite, controller, line }) =>
    `"${controllerSite}" on ${controller} is also in line ${line} of this file. Remove one of the two rows.`,
  row_length_wrong: ({ fields, columns }) =>
    `The row has ${fields} fields, but the first line has ${columns}. Correct the row.`,
  column_not_yes_or_no: ({ column, value }) => `The column ${column} must be yes or no, not "${value}".`,
  csv_too_long: ({ max }) => `The file has more than ${max} rows. Split it into smaller files.`,
  csv_not_utf8: () => 'The file is not UTF-8. Save it as CSV UTF-8.',
  csv_too_large: ({ maxKiB }) => `The file is larger than ${maxKiB} KiB. Split it into smaller files.`,
  csv_unreadable: ({ line }) =>
    `The file is not valid CSV after line ${line}: a quote is missing or misplaced. Correct it there.`,
  csv_columns_missing: (details) => `The first line has no column ${columnsHint(details)}`,
  csv_columns_unknown: (details) => `The first line has an unknown column ${columnsHint(details)}`,
  csv_columns_repeated: (details) => `The first line repeats column ${columnsHint(details)}`,
  import_refused: ({ count }) =>
    `Rows that cannot be added: ${count}. No row was added. Correct the file and import it again.`,
  column_empty: ({ column }) => `The column ${column} is empty. Every row needs a value there.`,
  column_invalid: ({ column, max }) =>
    `The column ${column} is not valid. Use one line of 1 to ${max} visible characters.`,

  column_not_fingerprint: ({ column }) =>
    `The column ${column} is not a SHA-256 fingerprint of 32 bytes, such as AB:CD:…. Show it with \`voucher-service controllers fingerprint\`.`,
  controller_column_empty: ({ controller, column }) =>
    `The controller "${controller}" is not recorded yet, so the file must describe it. Fill in the column ${column}.`,
  controller_recorded_differently: ({ controller, column, recorded }) =>
    `The controller "${controller}" is recorded with another ${column}: ${recorded}. Write that value, leave the column empty, or change the controller with \`voucher-service controllers set ${shellWord(String(controller))}\`.`,
  controller_row_differs: ({ controller, column, line }) =>
    `Line ${line} describes the controller "${controller}" with another ${column}. Write the same value in both lines, or leave the column empty in one of them.`,
  controller_row_refused: ({ controller, line }) =>
    `Line ${line} describes the controller "${controller}" and has an error. Correct that line.`,

  wifi_name_too_long: ({ max }) => `The Wi-Fi name must have 1 to ${max} bytes in UTF-8. An umlaut has two.`,
  wifi_name_unprintable: () => 'The Wi-Fi name contains characters that cannot be printed. Remove them.',
  wifi_password_invalid: () =>
    'The Wi-Fi password is not valid. Use 8 to 63 printable ASCII characters (no umlauts), or 64 hexadecimal digits.',
  time_zone_unknown: ({ timeZone }) => `There is no time zone "${timeZone}". Use a name such as Europe/Vienna.`,
  guest_language_unknown: ({ language, allowed }) =>
    `Slips cannot be printed in the language "${language}". Choose from ${allowed}.`,
  guest_language_repeated: ({ language }) => `The language "${language}" is given twice. Remove one of the two.`,
  footer_too_long: ({ max }) => `The footer is longer than ${max} characters. Shorten it.`,
  footer_unprintable: () => 'The footer must be one line of visible text. Use --no-footer to remove it.',
  room_days_out_of_range: ({ min, max }) => `--room-days must be a whole number from ${min} to ${max}.`,
  logo_too_large: ({ maxKiB }) => `The logo is larger than ${maxKiB} KiB. Make it smaller.`,
  logo_type_unsupported: () => 'The logo is neither a PNG nor a JPEG. Save it as PNG or JPEG.',
  logo_unreadable: () => 'The logo cannot be read: the file is damaged. Save it again as PNG or JPEG.',
  logo_dimensions_too_large: ({ width, height, max }) =>
    `The logo has ${width} × ${height} pixels. At most ${max} × ${max} are allowed.`,

  template_not_found: ({ id }) =>
    `No template has the id ${id}. List all templates with \`voucher-service templates list\`.`,
  template_name_taken: ({ name, siteId }) =>
    `A template ${siteId === undefined ? 'for all sites' : `of site ${siteId}`} is called "${name}" already. Choose another name.`,

  key_not_found: ({ named }) =>
    `No key has the prefix or id ${named}. List all keys with \`voucher-service keys list\`.`,
  key_prefix_reserved: () =>
    'The prefix vsk_ is reserved for keys that this service creates. Create one with `voucher-service keys create`.',
  key_prefix_invalid: () =>
    'The prefix is not valid. Use a word, an underscore and eight letters or digits, e.g. abc_1a2B3c4D.',
  key_prefix_taken: ({ prefix }) =>
    `A key with the prefix ${prefix} exists already. List all keys with \`voucher-service keys list\`.`,
  key_expiry_required: () => 'A key with the scope manage must expire. Add --expires, e.g. --expires 90d.',

  key_created_before: ({ prefix }) =>
    `The key ${prefix} was already created. Its secret cannot be shown again. Roll it with \`voucher-service keys roll ${prefix} --old-valid-until now\`.`,
  key_revoked: () => 'The key is revoked. Create a new one with `voucher-service keys create`.',
  key_expired: () => 'The key has expired. Change its expiry first with `voucher-service keys set --expires`.',
  key_rolled: ({ prefix }) =>
    `This is not the current prefix of the key. It was rolled and now begins with ${prefix}. To roll it again, use that prefix.`,
  key_grace_passed: () => 'The time of --old-valid-until has passed. To end the old secret at once, use `now`.',
  key_grace_too_long: ({ max }) => `An old secret may work for at most ${max} more days. Use an earlier time.`,

  webhook_not_found: ({ name, similar }) =>
    `No webhook is called "${name}".${suggestion(similar)} List all webhooks with \`voucher-service webhooks list\`.`,
  webhook_name_taken: ({ name }) => `Another webhook is called "${name}" already. Choose another name.`,
  webhooks_of_site_too_many: ({ max, site }) =>
    `Site ${site} (--site) already has ${max} webhooks, the most that a site can have. Remove one first with \`voucher-service webhooks remove\`.`,
  webhooks_of_all_sites_too_many: ({ max }) =>
    `There are already ${max} webhooks for all sites, the most that are possible. Choose some sites with --site, or remove one of these webhooks first with \`voucher-service webhooks remove\`.`,
  webhook_events_invalid: ({ unknown, allowed }) =>
    `${unknown ? `There is no event ${unknown}` : 'A webhook needs at least one event'}. Choose from ${allowed}.`,
  webhook_url_unreadable: () =>
    'The address must begin with https://. An http:// address must be in WEBHOOK_ALLOW_CIDRS.',
  webhook_url_with_credentials: () => 'The address must not contain a user name or password. Remove them.',
  webhook_url_forbidden: () =>
    'The address is not allowed. Use an https:// address on the public internet, or add its network to WEBHOOK_ALLOW_CIDRS.',
  webhook_unsigned: ({ name }) => `"${name}" has no signing secret: only webhooks with the format generic are signed.`,
  webhook_disabled: ({ name, reason }) =>
    `"${name}" is disabled (${reason}). Enable it first with \`voucher-service webhooks enable ${shellWord(String(name))}\`.`,
  delivery_not_found: ({ name, id }) =>
    `No delivery to "${name}" has the id ${id}. List them with \`voucher-service webhooks deliveries ${shellWord(String(name))}\`.`,
}

/** Names the wrong columns of a file, made safe for the terminal, and the columns that are allowed. */
function columnsHint({ columns, required, optional }: ErrorDetails): string {
  return `${visibleText(String(columns), 600)}. It must have the columns ${required} and may have ${optional}.`
}

/** Names that resemble one that was not found. */
function suggestion(similar: string | number | undefined): string {
  return similar ? ` Did you mean ${similar}?` : ''
}

export function describeRefusal({ code, details, cause }: DomainError): string {
  const because = cause instanceof Error ? `${code}: ${cause.message}` : code
  return words[code]?.(details) ?? `The request failed (${because}).`
}
