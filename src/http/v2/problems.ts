import type { ErrorCode } from '#domain/errors.ts'
import { problems as problemsOfV1 } from '../problems.ts'
import type { Language } from './language.ts'

export type Problem = {
  status: number
  error: string
  words: Record<Language, string>
  headers?: Record<string, string>
}

/** What only API v2 can answer. `not_found` is the same for what is not there and for what the key may not see. */
export type OwnCode = 'not_found' | 'parameter_invalid' | 'parameter_unknown' | 'server_error'

const own: Record<OwnCode, Problem> = {
  not_found: { status: 404, error: 'not_found', words: { de: 'Nicht gefunden', en: 'Not found' } },
  parameter_invalid: {
    status: 400,
    error: 'invalid_request',
    words: { de: 'Der Parameter {field} fehlt oder ist ungültig', en: 'The parameter {field} is missing or invalid' },
  },
  parameter_unknown: {
    status: 400,
    error: 'invalid_request',
    words: { de: 'Den Parameter {field} gibt es hier nicht', en: 'There is no parameter {field} here' },
  },
  server_error: { status: 500, error: 'server_error', words: { de: 'Interner Fehler', en: 'Internal error' } },
}

const maybe =
  'Whether a voucher was made is being checked. Please repeat with the same Idempotency-Key or read the list.'

/** The foreseen failures that both APIs share keep their status, name and headers; here are their English words. */
const english: Record<ErrorCode, string> = {
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
  controller_timeout: `The controller did not answer in time. ${maybe}`,
  controller_failed: `The controller did not answer the request. ${maybe}`,
  recording_failed: `The voucher could not be recorded. ${maybe}`,
  no_voucher: `The controller returned no usable voucher. ${maybe}`,
  store_unavailable: 'The service is temporarily unavailable, please try again later',
}

/** API v1 has no words for this one. */
const methodNotAllowed = 'Diese Methode ist hier nicht erlaubt'

/** The status and the words of every failure. A code without a line does not compile. */
export function problemOf(code: ErrorCode | OwnCode): Problem {
  if (isOwn(code)) return own[code]
  const { message = methodNotAllowed, ...shared } = problemsOfV1[code]
  return { ...shared, words: { de: message, en: english[code] } }
}

function isOwn(code: ErrorCode | OwnCode): code is OwnCode {
  return Object.hasOwn(own, code)
}

/** A foreseen failure of API v2; `field` fills the gap in its words. */
export class Refused extends Error {
  override name = 'Refused'
  readonly code: OwnCode
  readonly details: Record<string, string>
  constructor(code: OwnCode, field?: string) {
    super(code)
    this.code = code
    this.details = field === undefined ? {} : { field }
  }
}
