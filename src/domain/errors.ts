/** Every foreseen failure that a client can meet. The words and statuses for each stand in `http/problems.ts`. */
export type ErrorCode =
  | 'endpoint_not_found'
  | 'method_not_allowed'
  | 'request_unreadable'
  | 'unauthorized'
  | 'invalid_key'
  | 'write_scope_missing'
  | 'rate_limited'
  | 'payload_too_large'
  | 'site_id_required'
  | 'name_required'
  | 'name_unprintable'
  | 'name_too_long'
  | 'idempotency_key_invalid'
  | 'idempotency_in_progress'
  | 'idempotency_mismatch'
  | 'site_not_found'
  | 'beyond_bounds'
  | 'valid_until_passed'
  | 'batches_too_many'
  | 'vouchers_too_many'
  | 'withdrawals_too_many'
  | 'searches_too_many'
  | 'search_too_slow'
  | 'controller_busy'
  | 'controller_unreachable'
  | 'controller_refused'
  | 'controller_timeout'
  | 'controller_failed'
  | 'no_voucher'
  | 'recording_failed'
  | 'store_unavailable'

/** `details` fill the gaps in the words for this code, e.g. a field and its bounds. */
export class DomainError extends Error {
  override name = 'DomainError'
  readonly code: ErrorCode
  readonly details: Record<string, string | number>
  constructor(code: ErrorCode, options: ErrorOptions & { details?: Record<string, string | number> } = {}) {
    super(code, options)
    this.code = code
    this.details = options.details ?? {}
  }
}

/** A command was asked for something that cannot be done; the message is for the person at the terminal. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
}
