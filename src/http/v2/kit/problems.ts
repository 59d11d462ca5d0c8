import { Type } from 'typebox'
import type { RequestErrorCode } from '#domain/errors.ts'
import { problems as sharedProblems } from '../../server/problems.ts'

export type Language = 'de' | 'en'

export type Problem = {
  status: number
  error: string
  messages: Record<Language, string>
  headers?: Record<string, string>
}

/** Errors of API v2 only. `not_found` also covers everything that the key may not see. */
export type V2ErrorCode =
  | 'not_found'
  | 'idempotency_key_required'
  | 'manage_scope_missing'
  | 'parameter_invalid'
  | 'parameter_unknown'
  | 'server_error'

const ownProblems: Record<V2ErrorCode, Problem> = {
  not_found: { status: 404, error: 'not_found', messages: { de: 'Nicht gefunden', en: 'Not found' } },
  idempotency_key_required: {
    status: 400,
    error: 'idempotency_key_required',
    messages: {
      de: 'Der Header Idempotency-Key fehlt. Senden Sie den Idempotency-Key der Anfrage, nach der Sie fragen.',
      en: 'The header Idempotency-Key is missing. Send the Idempotency-Key of the request that you ask about.',
    },
  },
  manage_scope_missing: {
    status: 403,
    error: 'forbidden',
    messages: {
      de: 'Dem API-Schlüssel fehlt die Berechtigung manage',
      en: 'The API key lacks the scope manage',
    },
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="manage"' },
  },
  parameter_invalid: {
    status: 400,
    error: 'invalid_request',
    messages: {
      de: 'Der Parameter {field} fehlt oder ist ungültig',
      en: 'The parameter {field} is missing or invalid',
    },
  },
  parameter_unknown: {
    status: 400,
    error: 'invalid_request',
    messages: { de: 'Den Parameter {field} gibt es hier nicht', en: 'There is no parameter {field} here' },
  },
  server_error: { status: 500, error: 'server_error', messages: { de: 'Interner Fehler', en: 'Internal error' } },
}

const checkingOutcome =
  'Whether a voucher was made is being checked. Please repeat with the same Idempotency-Key or read the list.'

/** English messages of the failures that both APIs share. Their status, name and headers are the same in both. */
const english: Record<RequestErrorCode, string> = {
  request_unreadable: 'The request cannot be read',
  site_id_required: 'site_id is required',
  name_required: 'name is required',
  name_unprintable: 'name holds characters that cannot be printed',
  name_too_long: 'name is longer than 244 characters',
  idempotency_key_invalid: 'Idempotency-Key is invalid',
  beyond_bounds: '{field} must be between {min} and {max}',
  valid_until_passed: 'valid_until must be at least one minute ahead',
  unauthorized: 'A valid API key is required',
  invalid_key: 'A valid API key is required',
  write_scope_missing: 'The API key lacks the scope write',
  endpoint_not_found: 'There is no such endpoint',
  site_not_found: 'Site not found',
  idempotency_in_progress: 'A request with this Idempotency-Key is still running',
  idempotency_mismatch: 'This Idempotency-Key was used with other contents',
  method_not_allowed: 'This method is not allowed here',
  payload_too_large: 'The body of the request is larger than 64 KiB',
  rate_limited: 'Rate limit exceeded, please try again later',
  batches_too_many: '100 batches of this API key are running already, please wait until one is done',
  vouchers_too_many: 'The filter matches more than 10,000 vouchers. Narrow it. No voucher was revoked.',
  withdrawals_too_many: '50,000 vouchers wait to be withdrawn on these sites already, please try again later',
  searches_too_many: 'Too many searches are running at once. Please try again in a moment.',
  search_too_slow: 'The search took too long. Narrow it with site_id, created_after or more letters.',
  controller_busy: 'The controller is busy. No voucher was made.',
  controller_unreachable: 'The controller is out of reach. No voucher was made.',
  controller_refused: 'The controller refused the request. No voucher was made.',
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
  return { ...shared, messages: { de: message, en: english[code] } }
}

function isV2ErrorCode(code: RequestErrorCode | V2ErrorCode): code is V2ErrorCode {
  return Object.hasOwn(ownProblems, code)
}

/** A foreseen failure of API v2. `field` replaces the placeholder in its message. */
export class V2Error extends Error {
  override name = 'V2Error'
  readonly code: V2ErrorCode
  readonly details: Record<string, string>
  constructor(code: V2ErrorCode, field?: string) {
    super(code)
    this.code = code
    this.details = field === undefined ? {} : { field }
  }
}

/** The language that the client prefers; German if it has no preference. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const preferences = (acceptLanguage ?? '').split(',').map(readPreference)
  const weightOf = (language: Language) =>
    Math.max(0, ...preferences.filter((preference) => preference.language === language).map(({ q }) => q))
  return weightOf('en') > weightOf('de') ? 'en' : 'de'
}

/** Reads one preference such as `en-GB;q=0.8`. */
function readPreference(text: string): { language: string; q: number } {
  const [tag = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return { language: tag.split('-', 1)[0] as string, q: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 0 }
}

export const problemSchema = Type.Object(
  {
    error: Type.String({ pattern: '^[a-z_]+$' }),
    message: Type.String({ minLength: 1, description: 'German, or English by Accept-Language.' }),
    request_id: Type.String({ format: 'uuid' }),
  },
  { title: 'Problem' },
)
