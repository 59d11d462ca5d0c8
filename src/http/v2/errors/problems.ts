import { Type } from 'typebox'
import type { ApiErrorCode, RequestErrorCode, V2OnlyErrorCode } from '#domain/errors.ts'
import { problems as sharedProblems } from '../../server/problems.ts'
import { administrationProblems, invalidRequest } from './administration-problems.ts'
import { invalidFieldSchema } from './invalid-fields.ts'
import { keyProblems } from './key-problems.ts'
import { peopleProblems } from './people-problems.ts'

export type Language = 'de' | 'en'

export type Problem = {
  status: number
  error: string
  messages: Record<Language, string>
  headers?: Record<string, string>
}

/**
 * Errors of API v2 only. To add one, add it here. If the domain throws it, also name it in `V2OnlyErrorCode`. The OpenAPI
 * document and its enums follow.
 */
const ownProblems = {
  /** Also covers everything that the key may not see. */
  not_found: { status: 404, error: 'not_found', messages: { de: 'Nicht gefunden', en: 'Not found' } },
  manage_scope_missing: {
    status: 403,
    error: 'forbidden',
    messages: {
      de: 'Dem API-Schlüssel fehlt die Berechtigung manage',
      en: 'The API key lacks the scope manage',
    },
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="manage"' },
  },
  invalid_request: invalidRequest,
  body_unreadable: {
    status: 400,
    error: 'invalid_request',
    messages: { de: 'Der Inhalt der Anfrage ist kein JSON in UTF-8', en: 'The body is not JSON in UTF-8' },
  },
  body_not_object: {
    status: 400,
    error: 'invalid_request',
    messages: { de: 'Der Inhalt der Anfrage muss ein JSON-Objekt sein', en: 'The body must be a JSON object' },
  },
  valid_until_too_late: {
    status: 409,
    error: 'valid_until_too_late',
    messages: {
      de: 'valid_until darf nicht nach {latest} liegen, denn dann beendet der Controller den Voucher',
      en: 'valid_until must not be after {latest}, because the controller ends the voucher then',
    },
  },
  extendable_until_too_late: {
    status: 400,
    error: 'invalid_request',
    messages: {
      de: 'extendable_until darf nicht nach {latest} liegen. Ein Voucher hält höchstens {max} Minuten',
      en: 'extendable_until must not be after {latest}. A voucher lasts at most {max} minutes',
    },
    headers: { 'voucher-outcome': 'none' },
  },
  template_not_usable: invalidRequest,
  voucher_not_found: { status: 404, error: 'not_found', messages: { de: 'Nicht gefunden', en: 'Not found' } },
  voucher_ended: {
    status: 409,
    error: 'voucher_ended',
    messages: {
      de: 'Der Voucher ist schon beendet. Erstellen Sie einen neuen.',
      en: 'The voucher has ended. Create a new one.',
    },
  },
  voucher_being_revoked: {
    status: 409,
    error: 'voucher_being_revoked',
    messages: {
      de: 'Der Voucher wird gerade widerrufen. Erstellen Sie einen neuen.',
      en: 'The voucher is being revoked. Create a new one.',
    },
  },
  batches_too_many: {
    status: 429,
    error: 'batches_too_many',
    messages: {
      de: 'Es laufen schon 100 Voucher-Listen (Batches) dieser Person oder dieses API-Schlüssels. Bitte warten Sie, bis eine fertig ist.',
      en: '100 batches of this person or API key are already running. Wait until one is done.',
    },
    headers: { 'retry-after': '10' },
  },
  vouchers_too_many: {
    status: 400,
    error: 'vouchers_too_many',
    messages: {
      de: 'Der Filter trifft auf mehr als 10.000 Voucher zu. Grenzen Sie ihn ein. Es wurde kein Voucher widerrufen.',
      en: 'The filter matches more than 10,000 vouchers. Narrow it. No voucher was revoked.',
    },
  },
  export_too_large: {
    status: 400,
    error: 'export_too_large',
    messages: {
      de: 'Der Filter trifft auf mehr als 10.000 Einträge zu. Grenzen Sie ihn ein, zum Beispiel auf einen kürzeren Zeitraum.',
      en: 'The filter matches more than 10,000 entries. Narrow it, for example to a shorter time span.',
    },
  },
  withdrawals_too_many: {
    status: 429,
    error: 'withdrawals_too_many',
    messages: {
      de: 'An diesen Standorten warten schon 50.000 Voucher auf ihren Widerruf. Versuchen Sie es später erneut.',
      en: '50,000 vouchers of these sites are already waiting to be withdrawn. Try again later.',
    },
    headers: { 'retry-after': '60' },
  },
  searches_too_many: {
    status: 429,
    error: 'searches_too_many',
    messages: {
      de: 'Es laufen zu viele Suchen zugleich. Versuchen Sie es gleich erneut.',
      en: 'Too many searches are running at once. Please try again in a moment.',
    },
    headers: { 'retry-after': '2' },
  },
  search_too_slow: {
    status: 503,
    error: 'search_too_slow',
    messages: {
      de: 'Die Suche hat zu lange gedauert. Grenzen Sie sie mit site_id, created_after oder mehr Buchstaben ein.',
      en: 'The search took too long. Narrow it with site_id, created_after or more letters.',
    },
    headers: { 'retry-after': '5' },
  },
  exports_too_many: {
    status: 429,
    error: 'exports_too_many',
    messages: {
      de: 'Es laufen zu viele Exporte zugleich. Versuchen Sie es gleich erneut.',
      en: 'Too many exports are running at once. Please try again in a moment.',
    },
    headers: { 'retry-after': '5' },
  },
  overviews_too_many: {
    status: 429,
    error: 'overviews_too_many',
    messages: {
      de: 'Zu viele Übersichten werden zugleich geladen. Versuchen Sie es in 5 Sekunden erneut.',
      en: 'Too many overviews are being loaded. Please try again in 5 seconds.',
    },
    headers: { 'retry-after': '5' },
  },
  held: {
    status: 503,
    error: 'unavailable',
    messages: {
      de: 'Der Dienst ist angehalten: Er erstellt und widerruft zurzeit keine Voucher. Wer den Dienst betreibt, muss ihn wieder freigeben.',
      en: 'The service is held: it does not create or revoke vouchers at present. The person who runs the service has to end the hold.',
    },
    headers: { 'retry-after': '30' },
  },
  controller_checks_too_many: {
    status: 429,
    error: 'controller_checks_too_many',
    messages: {
      de: 'In der letzten Minute gab es zu viele Tests. Versuchen Sie es in {seconds} s erneut.',
      en: 'There were too many tests in the last minute. Try again in {seconds} s.',
    },
  },
  imports_too_many: {
    status: 429,
    error: 'imports_too_many',
    messages: {
      de: 'In der letzten Minute gab es zu viele Importe. Versuchen Sie es in {seconds} s erneut.',
      en: 'There were too many imports in the last minute. Try again in {seconds} s.',
    },
  },
  webhook_tests_too_many: {
    status: 429,
    error: 'webhook_tests_too_many',
    messages: {
      de: 'In der letzten Minute gab es zu viele Tests. Versuchen Sie es in {seconds} s erneut.',
      en: 'There were too many tests in the last minute. Try again in {seconds} s.',
    },
  },
  ...peopleProblems,
  ...administrationProblems,
  ...keyProblems,
  server_error: { status: 500, error: 'server_error', messages: { de: 'Interner Fehler', en: 'Internal error' } },
} satisfies Record<string, Problem> & Record<V2OnlyErrorCode | ApiErrorCode, Problem>

export type V2ErrorCode = keyof typeof ownProblems

const checkingOutcome =
  'The service is checking whether a voucher was created. Please repeat with the same Idempotency-Key or read the list.'

/** English messages of the failures that both APIs share. Their status, name and headers are the same in both. */
const english: Record<Exclude<RequestErrorCode, V2ErrorCode>, string> = {
  request_unreadable: 'The request cannot be read',
  site_id_required: 'site_id is required',
  name_required: 'name is required',
  name_unprintable: 'name contains characters that cannot be printed',
  name_too_long: 'name is longer than 244 characters',
  idempotency_key_invalid: 'Idempotency-Key is invalid',
  beyond_bounds: '{field} must be between {min} and {max}',
  valid_until_passed: 'valid_until must be at least one minute ahead',
  unauthorized: 'Sign in, or send a valid API key',
  invalid_key: 'A valid API key is required',
  write_scope_missing: 'The API key lacks the scope write',
  endpoint_not_found: 'There is no such endpoint',
  site_not_found: 'Site not found',
  idempotency_in_progress: 'A request with this Idempotency-Key is still running',
  idempotency_mismatch: 'This Idempotency-Key was used with other contents',
  method_not_allowed: 'This method is not allowed here',
  payload_too_large: 'The body of the request is larger than 64 KiB',
  rate_limited: 'Rate limit exceeded, please try again later',
  controller_busy: 'The controller is busy. No voucher was created.',
  controller_unreachable: 'The controller is unreachable. No voucher was created.',
  controller_refused: 'The controller rejected the request. No voucher was created.',
  controller_timeout: `The controller did not answer in time. ${checkingOutcome}`,
  controller_failed: `The controller did not answer the request. ${checkingOutcome}`,
  recording_failed: `The voucher could not be recorded. ${checkingOutcome}`,
  no_voucher: `The controller returned no usable voucher. ${checkingOutcome}`,
  store_unavailable: 'The service is temporarily unavailable, please try again later',
}

/** API v1 answers this failure without a message. */
const methodNotAllowed = 'Diese Methode ist hier nicht erlaubt'

/** Status, name and messages of a failure. A code without a message does not compile. */
export function problemOf(code: RequestErrorCode | V2ErrorCode): Problem {
  if (isV2ErrorCode(code)) return ownProblems[code]
  const { message = methodNotAllowed, ...shared } = sharedProblems[code]
  const error = vague.has(shared.error) ? code : shared.error
  return { ...shared, error, messages: { de: message, en: english[code] } }
}

/** Names that API v1 gives to many failures. API v2 gives each of them its own. */
const vague = new Set(['server_error', 'upstream_error'])

export function isV2ErrorCode(code: string): code is V2ErrorCode {
  return Object.hasOwn(ownProblems, code)
}

/** The language that the client prefers; English if it has no preference. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const preferences = (acceptLanguage ?? '').split(',').map(readPreference)
  const weightOf = (language: Language) =>
    Math.max(0, ...preferences.filter((preference) => preference.language === language).map(({ q }) => q))
  return weightOf('de') > weightOf('en') ? 'de' : 'en'
}

/** Reads one preference such as `en-GB;q=0.8`. */
function readPreference(text: string): { language: string; q: number } {
  const [tag = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return { language: tag.split('-', 1)[0] as string, q: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 0 }
}

const codes = [...Object.keys(sharedProblems), ...Object.keys(ownProblems)] as (RequestErrorCode | V2ErrorCode)[]
const errorNames = [...new Set(codes.map((code) => problemOf(code).error))].toSorted()

export const problemSchema = Type.Object(
  {
    error: Type.Unsafe<string>({ type: 'string', enum: errorNames, description: 'New values may be added.' }),
    message: Type.String({
      minLength: 1,
      description: 'A message for people, in English, or in German if Accept-Language prefers it.',
    }),
    request_id: Type.String({
      format: 'uuid',
      description: 'The id of the request. Tell it to the operator. X-Request-Id has the same value.',
    }),
    errors: Type.Optional(
      Type.Array(invalidFieldSchema, { description: 'Every invalid field. Only if fields are the problem.' }),
    ),
  },
  { title: 'Problem' },
)
