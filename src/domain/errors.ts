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
  | 'creation_not_built'
  | 'store_unavailable'

export class DomainError extends Error {
  override name = 'DomainError'
  readonly code: ErrorCode
  constructor(code: ErrorCode, options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

/** A command was asked for something that cannot be done; the message is for the person at the terminal. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
}
