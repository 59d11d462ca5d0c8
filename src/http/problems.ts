import type { ErrorCode } from '#domain/errors.ts'

export type Problem = { status: number; error: string; message?: string; headers?: Record<string, string> }

/** The status and the words of every foreseen failure. A code without a line here does not compile. */
export const problems: Record<ErrorCode, Problem> = {
  request_unreadable: { status: 400, error: 'invalid_request', message: 'Anfrage nicht lesbar' },
  site_id_required: { status: 400, error: 'invalid_request', message: 'site_id erforderlich' },
  unauthorized: {
    status: 401,
    error: 'unauthorized',
    message: 'Ein gültiger API-Schlüssel ist erforderlich',
    headers: { 'www-authenticate': 'Bearer realm="vouchers"' },
  },
  invalid_key: {
    status: 401,
    error: 'unauthorized',
    message: 'Ein gültiger API-Schlüssel ist erforderlich',
    headers: { 'www-authenticate': 'Bearer realm="vouchers", error="invalid_token"' },
  },
  write_scope_missing: {
    status: 403,
    error: 'forbidden',
    message: 'Dem API-Schlüssel fehlt die Berechtigung write',
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' },
  },
  endpoint_not_found: { status: 404, error: 'not_found', message: 'Endpunkt nicht gefunden' },
  method_not_allowed: { status: 405, error: 'method_not_allowed' },
  payload_too_large: {
    status: 413,
    error: 'payload_too_large',
    message: 'Der Inhalt der Anfrage ist größer als 64 KiB',
    headers: { connection: 'close' },
  },
  rate_limited: {
    status: 429,
    error: 'rate_limited',
    message: 'Anfragelimit überschritten, bitte später erneut versuchen',
  },
  creation_not_built: {
    status: 500,
    error: 'server_error',
    message: 'Diese Version erstellt noch keine Voucher. Es wurde kein Voucher erstellt.',
    headers: { 'voucher-outcome': 'none' },
  },
  store_unavailable: {
    status: 503,
    error: 'unavailable',
    message: 'Der Dienst ist vorübergehend nicht verfügbar, bitte später erneut versuchen',
    headers: { 'retry-after': '5' },
  },
}

/** For what nobody foresaw: one fixed sentence and the id under which the log tells more. */
export function unforeseen(requestId: string): Problem {
  return { status: 500, error: 'server_error', message: `Interner Fehler (${requestId})` }
}

export function bodyOf({ error, message }: Problem): { error: string; message?: string } {
  return message === undefined ? { error } : { error, message }
}
