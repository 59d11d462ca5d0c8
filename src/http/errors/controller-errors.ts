import type { ControllerErrorCode } from '#domain/errors.ts'
import { type ErrorEntry, notFound } from './error-entry.ts'

/** Errors of controllers and their credentials. */
export const controllerErrors: Record<ControllerErrorCode, ErrorEntry> = {
  controller_not_found: {
    ...notFound,
    terminal: ({ name, similar }) =>
      `No controller is called "${name}".${similar ? ` Did you mean ${similar}?` : ''} List all controllers with \`voucher-service controllers list\`.`,
  },
  controller_name_taken: {
    status: 409,
    de: 'Ein anderer Controller heißt schon {name}. Wählen Sie einen anderen Namen.',
    en: 'Another controller is already called {name}. Choose another name.',
    terminal: 'Another controller is called "{name}" already. Choose another name.',
  },
  controller_in_use: {
    status: 409,
    de: 'Der Controller hat noch Standorte: {sites}. Entfernen Sie zuerst die Standorte.',
    en: 'The controller still has sites: {sites}. Remove the sites first.',
    terminal: '"{name}" still has sites: {sites}. Remove them first with `voucher-service sites remove`.',
  },
  controller_check_failed: {
    status: 409,
    de: 'Die Standorte des Controllers konnten nicht gelesen werden ({failure}). Mit "unchecked": true entfällt diese Prüfung.',
    en: 'The sites of the controller could not be read ({failure}). Send "unchecked": true to skip this check.',
    terminal:
      'The sites of the controller could not be read: {reason}. Correct this, or add the site with --unchecked and then run `voucher-service sites test`.',
  },
  controller_checks_too_many: {
    status: 429,
    de: 'In der letzten Minute gab es zu viele Tests. Versuchen Sie es in {seconds} s erneut.',
    en: 'There were too many tests in the last minute. Try again in {seconds} s.',
  },
  controller_sites_unknown: {
    status: 409,
    error: 'controller_check_failed',
    de: 'Die Standorte des Controllers konnten nicht gelesen werden ({failure}). Testen Sie die Verbindung zum Controller.',
    en: 'The sites of the controller could not be read ({failure}). Test the connection to the controller.',
    terminal: 'The sites of the controller could not be read: {reason}. Correct this, then run the command again.',
  },
  controller_site_not_found: {
    status: 400,
    field: { field: 'controller_site', code: 'not_usable' },
    de: 'Der Controller hat keinen Standort {controllerSite}, oder das Konto sieht ihn nicht. Sichtbare Standorte: {sites}',
    en: 'The controller has no site {controllerSite}, or the account cannot see it. Sites it can see: {sites}',
    terminal: ({ controllerSite, sites }) =>
      `Site "${controllerSite}" was not found on the controller, or this account cannot see it. Sites it can see: ${sites || 'none'}.`,
  },
  controller_address_unreadable: {
    status: 400,
    field: ({ example }) => ({
      field: 'address',
      code: 'bad_format',
      allowed: { example: String(example) },
    }),
    de: 'address ist ungültig. Richtig ist zum Beispiel {example}',
    en: 'address must {rule}, e.g. {example}',
    terminal: 'The address must {rule}, e.g. {example}.',
  },
  controller_address_with_extras: {
    status: 400,
    field: ({ example }) => ({
      field: 'address',
      code: 'bad_format',
      allowed: { example: String(example) },
    }),
    de: 'address darf weder Benutzername noch Passwort, Abfrage oder Fragment enthalten',
    en: 'address must not contain a user name, password, query or fragment',
    terminal: 'The address must not contain a user name, password, query or fragment. Remove them.',
  },
  certificate_pin_without_tls: {
    status: 400,
    field: { field: 'certificate_pin', code: 'not_usable' },
    de: 'certificate_pin geht nur mit einer https://-Adresse',
    en: 'certificate_pin needs an https:// address',
    terminal: 'Only an https:// address has a certificate. Use https://, or remove the pin.',
  },
  cloud_account: {
    status: 400,
    field: { field: 'username', code: 'not_usable' },
    de: 'username mit @ ist ein Cloud-Konto. Legen Sie auf dem Controller ein lokales Konto an.',
    en: 'A username with @ is a cloud account. Create a local account on the controller.',
    terminal:
      'A user name with @ is a cloud account, which needs a second factor. Create a local administrator on the controller and use that name.',
  },
  driver_not_found: {
    status: 400,
    field: { field: 'driver', code: 'not_usable' },
    de: 'Es gibt keinen Treiber {driver}',
    en: 'There is no driver {driver}',
    terminal: 'No driver is called "{driver}". `voucher-service controllers add --help` lists the drivers.',
  },
  username_not_supported: {
    status: 400,
    field: { field: 'username', code: 'not_usable' },
    de: '{driver} meldet sich mit einem API-Schlüssel an. Lassen Sie username weg.',
    en: '{driver} signs in with an API key. Leave out username.',
    terminal: ({ driver, column }) =>
      `${driver} signs in with an API key. ${column ? 'Leave the column username empty.' : 'Leave out --username.'}`,
  },
  username_required: {
    status: 400,
    field: { field: 'username', code: 'required' },
    de: '{driver} braucht username und secret',
    en: '{driver} needs username and secret',
    terminal: ({ driver, column }) =>
      `${driver} signs in with a user name and password. ${column ? 'Fill in the column username.' : 'Add --username.'}`,
  },
  username_without_secret: {
    status: 400,
    field: { field: 'secret', code: 'required' },
    de: 'username kann nur zusammen mit secret geändert werden',
    en: 'username can only be changed together with secret',
    terminal: 'A user name can only be changed together with its password. Add --secret-file or --new-secret.',
  },
}
