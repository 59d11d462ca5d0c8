import type { WebhookErrorCode } from '#domain/errors.ts'
import { shellWord } from '#lib/shell-word.ts'
import { type ErrorEntry, notFound } from './error-entry.ts'
import type { InvalidField } from './field-errors.ts'

const badUrl: InvalidField = {
  field: 'url',
  code: 'bad_format',
  allowed: { example: 'https://hooks.example.com/catch/1' },
}

/** Errors of webhooks and their deliveries. */
export const webhookErrors: Record<WebhookErrorCode, ErrorEntry> = {
  webhook_not_found: {
    ...notFound,
    terminal: ({ name, similar }) =>
      `No webhook is called "${name}".${similar ? ` Did you mean ${similar}?` : ''} List all webhooks with \`voucher-service webhooks list\`.`,
  },
  webhook_name_taken: {
    status: 409,
    de: 'Ein anderer Webhook heißt schon {name}. Wählen Sie einen anderen Namen.',
    en: 'Another webhook is already called {name}. Choose another name.',
    terminal: 'Another webhook is called "{name}" already. Choose another name.',
  },
  webhooks_of_site_too_many: {
    status: 409,
    field: { field: 'site_ids', code: 'not_usable' },
    de: 'Der Standort {site} hat schon {max} Webhooks, mehr sind nicht möglich. Entfernen Sie zuerst einen davon.',
    en: 'Site {site} already has {max} webhooks, the most that a site can have. Remove one first.',
    terminal:
      'Site {site} (--site) already has {max} webhooks, the most that a site can have. Remove one first with `voucher-service webhooks remove`.',
  },
  webhooks_of_all_sites_too_many: {
    status: 409,
    field: { field: 'site_ids', code: 'not_usable' },
    de: 'Höchstens {max} Webhooks können für alle Standorte gelten, und so viele gibt es schon. Wählen Sie einzelne Standorte, oder entfernen Sie zuerst einen davon.',
    en: 'There are already {max} webhooks for all sites, the most that are possible. Choose some sites, or remove one of these webhooks first.',
    terminal:
      'There are already {max} webhooks for all sites, the most that are possible. Choose some sites with --site, or remove one of these webhooks first with `voucher-service webhooks remove`.',
  },
  webhook_events_invalid: {
    terminal: ({ unknown, allowed }) =>
      `${unknown ? `There is no event ${unknown}` : 'A webhook needs at least one event'}. Choose from ${allowed}.`,
  },
  webhook_url_unreadable: {
    status: 400,
    field: badUrl,
    de: 'Die Adresse (url) muss mit https:// beginnen',
    en: 'The address (url) must begin with https://',
    terminal: 'The address must begin with https://. An http:// address must be in WEBHOOK_ALLOW_CIDRS.',
  },
  webhook_url_with_credentials: {
    status: 400,
    field: badUrl,
    de: 'Die Adresse (url) darf weder Benutzername noch Passwort enthalten',
    en: 'The address (url) must not contain a user name or password',
    terminal: 'The address must not contain a user name or password. Remove them.',
  },
  webhook_url_forbidden: {
    status: 400,
    field: { field: 'url', code: 'not_usable' },
    de: 'Diese Adresse (url) ist nicht erlaubt. Verwenden Sie eine Adresse im öffentlichen Internet. Adressen im eigenen Netz kann der Betreiber des Dienstes mit WEBHOOK_ALLOW_CIDRS erlauben.',
    en: 'This address (url) is not allowed. Use an address on the public internet. The person who runs the service can allow addresses on your own network with WEBHOOK_ALLOW_CIDRS.',
    terminal:
      'The address is not allowed. Use an https:// address on the public internet, or add its network to WEBHOOK_ALLOW_CIDRS.',
  },
  webhook_unsigned: {
    status: 409,
    de: 'Der Webhook {name} hat kein Geheimnis. Nur Webhooks mit dem Format generic sind signiert.',
    en: 'The webhook {name} has no signing secret. Only webhooks with the format generic are signed.',
    terminal: '"{name}" has no signing secret: only webhooks with the format generic are signed.',
  },
  webhook_disabled: {
    status: 409,
    de: 'Der Webhook {name} ist abgeschaltet. Schalten Sie ihn zuerst wieder ein.',
    en: 'The webhook {name} is disabled. Enable it first.',
    terminal: ({ name, reason }) =>
      `"${name}" is disabled (${reason}). Enable it first with \`voucher-service webhooks enable ${shellWord(String(name))}\`.`,
  },
  webhook_tests_too_many: {
    status: 429,
    de: 'In der letzten Minute gab es zu viele Tests. Versuchen Sie es in {seconds} s erneut.',
    en: 'There were too many tests in the last minute. Try again in {seconds} s.',
  },
  delivery_not_found: {
    ...notFound,
    terminal: ({ name, id }) =>
      `No delivery to "${name}" has the id ${id}. List them with \`voucher-service webhooks deliveries ${shellWord(String(name))}\`.`,
  },
}
