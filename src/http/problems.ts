import type { ErrorCode } from '#domain/errors.ts'

export type Problem = { status: number; error: string; message?: string; headers?: Record<string, string> }

const outcomeNone = { 'voucher-outcome': 'none' }
const outcomeUnknown = { 'voucher-outcome': 'unknown' }
const maybe =
  'Ob ein Voucher entstanden ist, wird geprüft. Bitte mit demselben Idempotency-Key wiederholen oder die Liste abfragen.'

/** The status and the words of every foreseen failure. A code without a line here does not compile. */
export const problems: Record<ErrorCode, Problem> = {
  request_unreadable: { status: 400, error: 'invalid_request', message: 'Anfrage nicht lesbar' },
  site_id_required: { status: 400, error: 'invalid_request', message: 'site_id erforderlich' },
  name_required: { status: 400, error: 'invalid_request', message: 'name erforderlich' },
  name_unprintable: { status: 400, error: 'invalid_request', message: 'name enthält nicht druckbare Zeichen' },
  name_too_long: { status: 400, error: 'invalid_request', message: 'name ist länger als 244 Zeichen' },
  idempotency_key_invalid: { status: 400, error: 'invalid_request', message: 'Idempotency-Key ungültig' },
  beyond_bounds: {
    status: 400,
    error: 'invalid_request',
    message: '{field} muss zwischen {min} und {max} liegen',
    headers: outcomeNone,
  },
  valid_until_passed: {
    status: 400,
    error: 'invalid_request',
    message: 'valid_until muss mindestens eine Minute in der Zukunft liegen',
    headers: outcomeNone,
  },
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
  site_not_found: { status: 404, error: 'not_found', message: 'Site nicht gefunden', headers: outcomeNone },
  idempotency_in_progress: {
    status: 409,
    error: 'idempotency_in_progress',
    message: 'Eine Anfrage mit diesem Idempotency-Key läuft noch',
    headers: { 'retry-after': '1', ...outcomeUnknown },
  },
  idempotency_mismatch: {
    status: 422,
    error: 'idempotency_mismatch',
    message: 'Dieser Idempotency-Key wurde mit anderem Inhalt verwendet',
    headers: outcomeNone,
  },
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
  batches_too_many: {
    status: 429,
    error: 'rate_limited',
    message: 'Für diesen API-Schlüssel laufen schon 100 Stapel, bitte warten, bis einer fertig ist',
    headers: { 'retry-after': '10' },
  },
  vouchers_too_many: {
    status: 400,
    error: 'too_many',
    message: 'Der Filter trifft mehr als 10.000 Voucher. Bitte enger eingrenzen. Es wurde kein Voucher entzogen.',
  },
  withdrawals_too_many: {
    status: 429,
    error: 'rate_limited',
    message: 'Auf diesen Sites warten schon 50.000 Voucher darauf, entzogen zu werden, bitte später erneut versuchen',
    headers: { 'retry-after': '60' },
  },
  searches_too_many: {
    status: 429,
    error: 'rate_limited',
    message: 'Es laufen zu viele Suchen zugleich. Bitte gleich erneut versuchen.',
    headers: { 'retry-after': '2' },
  },
  search_too_slow: {
    status: 503,
    error: 'search_too_slow',
    message: 'Die Suche hat zu lange gedauert. Bitte mit site_id, created_after oder mehr Buchstaben eingrenzen.',
    headers: { 'retry-after': '5' },
  },
  controller_busy: {
    status: 500,
    error: 'server_error',
    message: 'Der Controller ist ausgelastet. Es wurde kein Voucher erstellt.',
    headers: { 'retry-after': '2', ...outcomeNone },
  },
  controller_unreachable: {
    status: 500,
    error: 'server_error',
    message: 'Controller nicht erreichbar. Es wurde kein Voucher erstellt.',
    headers: { 'retry-after': '5', ...outcomeNone },
  },
  controller_refused: {
    status: 500,
    error: 'server_error',
    message: 'Der Controller hat die Anfrage abgelehnt. Es wurde kein Voucher erstellt.',
    headers: outcomeNone,
  },
  controller_timeout: {
    status: 500,
    error: 'server_error',
    message: `Der Controller hat nicht rechtzeitig geantwortet. ${maybe}`,
    headers: outcomeUnknown,
  },
  controller_failed: {
    status: 500,
    error: 'server_error',
    message: `Der Controller hat die Anfrage nicht beantwortet. ${maybe}`,
    headers: outcomeUnknown,
  },
  recording_failed: {
    status: 500,
    error: 'server_error',
    message: `Der Voucher konnte nicht gespeichert werden. ${maybe}`,
    headers: outcomeUnknown,
  },
  no_voucher: {
    status: 502,
    error: 'upstream_error',
    message: `Der Controller hat keinen gültigen Voucher geliefert. ${maybe}`,
    headers: outcomeUnknown,
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

/** Gaps such as `{field}` are filled from the details of the error. */
export function bodyOf(
  problem: Problem,
  details: Record<string, string | number> = {},
): { error: string; message?: string } {
  const { error, message } = problem
  if (message === undefined) return { error }
  return { error, message: fillGaps(message, details) }
}

export function fillGaps(message: string, details: Record<string, string | number>): string {
  return message.replace(/\{(\w+)\}/g, (gap, name) => String(details[name] ?? gap))
}
