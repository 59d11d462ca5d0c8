import type { VoucherErrorCode } from '#domain/errors.ts'
import { type ErrorEntry, notFound } from './error-entry.ts'

/** The domain's errors use the field names of API v1. These fields have another name in API v2. */
const namesInV2: Record<string, string> = { 'qos.down': 'qos.down_kbps', 'qos.up': 'qos.up_kbps' }

const checkingOutcome = {
  de: 'Ob ein Voucher entstanden ist, wird geprüft. Bitte mit demselben Idempotency-Key wiederholen oder die Liste abfragen.',
  en: 'The service is checking whether a voucher was created. Please repeat with the same Idempotency-Key or read the list.',
}

/** Errors of vouchers, batches, revocations and templates. */
export const voucherErrors: Record<VoucherErrorCode, ErrorEntry> = {
  name_required: { field: { field: 'name', code: 'required' } },
  name_unprintable: { field: { field: 'name', code: 'unprintable' } },
  name_too_long: { field: { field: 'name', code: 'too_long', allowed: { max_length: 244 } } },
  beyond_bounds: {
    field: ({ field = '', min, max }) => ({
      field: namesInV2[field] ?? String(field),
      code: 'out_of_range',
      allowed: { minimum: Number(min), maximum: Number(max) },
    }),
    headers: { 'voucher-outcome': 'none' },
  },
  valid_until_passed: { field: { field: 'valid_until', code: 'in_the_past' }, headers: { 'voucher-outcome': 'none' } },
  valid_until_too_late: {
    status: 409,
    de: 'valid_until darf nicht nach {latest} liegen, denn dann beendet der Controller den Voucher',
    en: 'valid_until must not be after {latest}, because the controller ends the voucher then',
  },
  valid_until_not_later: {
    status: 409,
    de: 'valid_until muss nach dem jetzigen Ende liegen: {end}. Es wurde nichts geändert.',
    en: 'valid_until must be after the present end: {end}. Nothing was changed.',
  },
  valid_until_not_earlier: {
    status: 409,
    de: 'valid_until muss vor dem jetzigen Ende liegen: {end}. Es wurde nichts geändert.',
    en: 'valid_until must be before the present end: {end}. Nothing was changed.',
  },
  no_end_to_move_later: {
    status: 409,
    error: 'valid_until_not_later',
    de: 'Der Voucher hat noch kein Ende, denn seine Zeit beginnt mit der ersten Anmeldung. Deshalb kann er nicht verlängert werden. Es wurde nichts geändert.',
    en: 'The voucher has no end yet, because its time begins with the first use. So it cannot be extended. Nothing was changed.',
  },
  no_end_to_remove: {
    status: 409,
    error: 'valid_until_not_earlier',
    de: 'Der Voucher hat noch kein Ende. Senden Sie eine Zeit in valid_until, um eines festzulegen. Es wurde nichts geändert.',
    en: 'The voucher has no end yet. Send a time in valid_until to set one. Nothing was changed.',
  },
  extendable_until_too_late: {
    status: 400,
    error: 'invalid_request',
    headers: { 'voucher-outcome': 'none' },
    field: ({ latest }) => ({
      field: 'extendable_until',
      code: 'too_late',
      allowed: { example: String(latest) },
    }),
    de: 'extendable_until darf nicht nach {latest} liegen. Ein Voucher hält höchstens {max} Minuten',
    en: 'extendable_until must not be after {latest}. A voucher lasts at most {max} minutes',
  },
  valid_until_beyond_limit: {
    status: 400,
    error: 'invalid_request',
    headers: { 'voucher-outcome': 'none' },
    field: ({ latest }) => ({ field: 'valid_until', code: 'too_late', allowed: { example: String(latest) } }),
    de: 'valid_until darf nicht nach {latest} liegen. Ein Voucher darf hier höchstens {max} Minuten halten',
    en: 'valid_until must not be after {latest}. Here a voucher may last at most {max} minutes',
  },
  key_limit_reached: {
    status: 429,
    error: 'daily_limit_reached',
    headers: { 'voucher-outcome': 'none' },
    de: 'Das Tageslimit dieses API-Schlüssels ist erreicht: {limit} Voucher am Tag. Der nächste Tag beginnt am {until}. Es wurde kein Voucher erstellt.',
    en: 'This API key has reached its limit of {limit} vouchers a day. The next day begins at {until}. No voucher was created.',
  },
  person_limit_reached: {
    status: 429,
    error: 'daily_limit_reached',
    headers: { 'voucher-outcome': 'none' },
    de: 'Sie haben Ihr Tageslimit erreicht: {limit} Voucher am Tag. Der nächste Tag beginnt am {until}. Es wurde kein Voucher erstellt.',
    en: 'You have reached your limit of {limit} vouchers a day. The next day begins at {until}. No voucher was created.',
  },
  site_limit_reached: {
    status: 429,
    error: 'daily_limit_reached',
    headers: { 'voucher-outcome': 'none' },
    de: 'Das Tageslimit dieses Standorts ist erreicht: {limit} Voucher am Tag. Der nächste Tag beginnt am {until}. Es wurde kein Voucher erstellt.',
    en: 'This site has reached its limit of {limit} vouchers a day. The next day begins at {until}. No voucher was created.',
  },
  recipient_limit_reached: {
    status: 429,
    error: 'daily_limit_reached',
    headers: { 'voucher-outcome': 'none' },
    de: 'Diese Adresse hat heute schon {limit} Nachrichten bekommen. Der nächste Tag beginnt am {until}. Es wurde nichts erstellt und nichts verschickt.',
    en: 'This address has already got {limit} messages today. The next day begins at {until}. Nothing was created and nothing was sent.',
  },
  messages_limit_reached: {
    status: 429,
    error: 'daily_limit_reached',
    headers: { 'voucher-outcome': 'none' },
    de: 'Das Tageslimit für Nachrichten ist erreicht: {limit} am Tag. Der nächste Tag beginnt am {until}. Es wurde nichts erstellt und nichts verschickt.',
    en: 'The limit of {limit} messages a day is reached. The next day begins at {until}. Nothing was created and nothing was sent.',
  },
  mail_not_set_up: {
    status: 409,
    headers: { 'voucher-outcome': 'none' },
    de: 'E-Mail ist nicht eingerichtet. Unter Einstellungen → E-Mail fehlt ein Mailserver oder ein Absender für diesen Standort. Es wurde nichts erstellt und nichts verschickt.',
    en: 'E-mail is not set up. Under Settings → E-mail, the mail server or a sender for this site is missing. Nothing was created and nothing was sent.',
  },
  template_not_usable: { field: { field: 'template_id', code: 'not_usable' } },
  template_not_found: {
    ...notFound,
    terminal: 'No template has the id {id}. List all templates with `voucher-service templates list`.',
  },
  template_place_not_usable: {
    field: { field: 'before', code: 'not_usable' },
    terminal: 'No template has the id {id}. List all templates with `voucher-service templates list`.',
  },
  template_name_taken: {
    status: 409,
    de: 'Eine andere Vorlage für dieselben Standorte heißt schon {name}. Wählen Sie einen anderen Namen.',
    en: 'Another template for the same sites is already called {name}. Choose another name.',
    terminal: ({ name, siteId }) =>
      `A template ${siteId === undefined ? 'for all sites' : `of site ${siteId}`} is called "${name}" already. Choose another name.`,
  },
  controller_busy: {
    status: 500,
    headers: { 'retry-after': '2', 'voucher-outcome': 'none' },
    de: 'Der Controller ist ausgelastet. Es wurde kein Voucher erstellt.',
    en: 'The controller is busy. No voucher was created.',
  },
  controller_unreachable: {
    status: 500,
    headers: { 'retry-after': '5', 'voucher-outcome': 'none' },
    de: 'Controller nicht erreichbar. Es wurde kein Voucher erstellt.',
    en: 'The controller is unreachable. No voucher was created.',
  },
  controller_refused: {
    status: 500,
    headers: { 'voucher-outcome': 'none' },
    de: 'Der Controller hat die Anfrage abgelehnt. Es wurde kein Voucher erstellt.',
    en: 'The controller rejected the request. No voucher was created.',
  },
  controller_timeout: {
    status: 500,
    headers: { 'voucher-outcome': 'unknown' },
    de: `Der Controller hat nicht rechtzeitig geantwortet. ${checkingOutcome.de}`,
    en: `The controller did not answer in time. ${checkingOutcome.en}`,
  },
  controller_failed: {
    status: 500,
    headers: { 'voucher-outcome': 'unknown' },
    de: `Der Controller hat die Anfrage nicht beantwortet. ${checkingOutcome.de}`,
    en: `The controller did not answer the request. ${checkingOutcome.en}`,
  },
  no_voucher: {
    status: 502,
    headers: { 'voucher-outcome': 'unknown' },
    de: `Der Controller hat keinen gültigen Voucher geliefert. ${checkingOutcome.de}`,
    en: `The controller returned no usable voucher. ${checkingOutcome.en}`,
  },
  recording_failed: {
    status: 500,
    headers: { 'voucher-outcome': 'unknown' },
    de: `Der Voucher konnte nicht gespeichert werden. ${checkingOutcome.de}`,
    en: `The voucher could not be recorded. ${checkingOutcome.en}`,
  },
  voucher_not_found: notFound,
  voucher_ended: {
    status: 409,
    de: 'Der Voucher ist schon beendet. Erstellen Sie einen neuen.',
    en: 'The voucher has ended. Create a new one.',
  },
  voucher_being_revoked: {
    status: 409,
    de: 'Der Voucher wird gerade widerrufen. Erstellen Sie einen neuen.',
    en: 'The voucher is being revoked. Create a new one.',
  },
  voucher_still_valid: {
    status: 409,
    de: 'Voucher dieser Gäste gelten noch oder entstehen gerade: {count}. Es wurde nichts gelöscht. Widerrufen Sie sie zuerst, oder löschen Sie die Daten nach ihrem Ende.',
    en: 'Vouchers of these guests still work or are being created: {count}. Nothing was erased. Revoke them first, or erase the data after they have ended.',
    terminal: ({ count }) =>
      `Vouchers of this guest still work or are being created: ${count}. Nothing was erased. Revoke them first, or use --after-end.`,
  },
  guest_not_found: {
    ...notFound,
    de: 'Von diesen Gästen ist nichts gespeichert',
    en: 'Nothing is stored about these guests',
    terminal: 'Nothing is stored about this guest. `voucher-service guests show` finds the name as it is stored.',
  },
  receipt_line_invalid: {
    terminal: ({ line }) =>
      `Line ${line} is not a receipt of an erasure. Nothing was changed. \`voucher-service guests receipts\` writes these lines; copy the file again.`,
  },
  batches_too_many: {
    status: 429,
    headers: { 'retry-after': '10' },
    de: 'Es laufen schon 100 Voucher-Listen (Batches) dieser Person oder dieses API-Schlüssels. Bitte warten Sie, bis eine fertig ist.',
    en: '100 batches of this person or API key are already running. Wait until one is done.',
  },
  vouchers_too_many: {
    status: 400,
    field: { field: 'filter', code: 'too_many', allowed: { max_items: 10_000 } },
    de: 'Der Filter trifft auf mehr als 10.000 Voucher zu. Grenzen Sie ihn ein. Es wurde kein Voucher widerrufen.',
    en: 'The filter matches more than 10,000 vouchers. Narrow it. No voucher was revoked.',
  },
  withdrawals_too_many: {
    status: 429,
    headers: { 'retry-after': '60' },
    de: 'An diesen Standorten warten schon 50.000 Voucher auf ihren Widerruf. Versuchen Sie es später erneut.',
    en: '50,000 vouchers of these sites are already waiting to be withdrawn. Try again later.',
  },
}
