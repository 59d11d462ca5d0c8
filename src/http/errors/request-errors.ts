import type { RequestErrorCode } from '#domain/errors.ts'
import { type ErrorEntry, notFound } from './error-entry.ts'

/** Errors of the request itself, of rights and of limits. */
export const requestErrors: Record<RequestErrorCode, ErrorEntry> = {
  endpoint_not_found: {
    status: 404,
    error: 'not_found',
    de: 'Endpunkt nicht gefunden',
    en: 'There is no such endpoint',
  },
  method_not_allowed: {
    status: 405,
    de: 'Diese Methode ist hier nicht erlaubt',
    en: 'This method is not allowed here',
  },
  request_unreadable: {
    status: 400,
    error: 'invalid_request',
    field: { field: 'request', code: 'bad_format' },
    de: 'Anfrage nicht lesbar',
    en: 'The request cannot be read',
  },
  unauthorized: {
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="vouchers"' },
    de: 'Ein gültiger API-Schlüssel ist erforderlich',
    en: 'Sign in, or send a valid API key',
  },
  invalid_key: {
    status: 401,
    error: 'unauthorized',
    headers: { 'www-authenticate': 'Bearer realm="vouchers", error="invalid_token"' },
    de: 'Ein gültiger API-Schlüssel ist erforderlich',
    en: 'A valid API key is required',
  },
  write_scope_missing: {
    status: 403,
    error: 'forbidden',
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' },
    de: 'Dem API-Schlüssel fehlt die Berechtigung write',
    en: 'The API key lacks the scope write',
  },
  manage_scope_missing: {
    status: 403,
    error: 'forbidden',
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="manage"' },
    de: 'Dem API-Schlüssel fehlt die Berechtigung manage',
    en: 'The API key lacks the scope manage',
  },
  people_only: {
    status: 403,
    de: 'Das können nur angemeldete Personen, keine API-Schlüssel',
    en: 'Only people who are signed in can do this, not API keys',
  },
  role_missing: {
    status: 403,
    de: 'Ihre Rolle erlaubt das nicht. Ein Administrator kann Ihre Rolle ändern.',
    en: 'Your role does not allow this. An administrator can change your role.',
  },
  session_ended: {
    status: 401,
    de: 'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
    en: 'Your session has ended. Please sign in again.',
  },
  origin_mismatch: {
    status: 403,
    de: 'Die Anfrage kommt nicht von der Web-App dieses Dienstes. Prüfen Sie PUBLIC_URL.',
    en: 'The request does not come from the web app of this service. Check PUBLIC_URL.',
  },
  content_type_required: {
    status: 415,
    de: 'In einer Sitzung ist dieser Content-Type hier nicht erlaubt. Senden Sie JSON als application/json und eine Datei mit ihrem eigenen Typ',
    en: 'With a session, this Content-Type is not accepted here. Send JSON as application/json, and a file with its own type',
  },
  rate_limited: {
    status: 429,
    de: 'Anfragelimit überschritten, bitte später erneut versuchen',
    en: 'Rate limit exceeded, please try again later',
  },
  payload_too_large: {
    status: 413,
    headers: { connection: 'close' },
    de: 'Der Inhalt der Anfrage ist größer als {maxKiB} KiB',
    en: 'The body of the request is larger than {maxKiB} KiB',
  },
  not_found: notFound,
  /** The error itself names the invalid fields, and each field has its own sentence. */
  invalid_request: { status: 400, de: 'Die Anfrage ist ungültig', en: 'The request is invalid' },
  body_unreadable: {
    status: 400,
    error: 'invalid_request',
    field: { field: 'body', code: 'bad_format' },
    de: 'Der Inhalt der Anfrage ist kein JSON in UTF-8',
    en: 'The body is not JSON in UTF-8',
  },
  body_not_object: {
    status: 400,
    error: 'invalid_request',
    field: { field: 'body', code: 'wrong_type', allowed: { types: ['object'] } },
    de: 'Der Inhalt der Anfrage muss ein JSON-Objekt sein',
    en: 'The body must be a JSON object',
  },
  idempotency_key_invalid: {
    field: {
      field: 'Idempotency-Key',
      code: 'bad_format',
      allowed: { min_length: 1, max_length: 255, pattern: '^[\\x21-\\x7e]+$' },
    },
  },
  idempotency_in_progress: {
    status: 409,
    headers: { 'retry-after': '1', 'voucher-outcome': 'unknown' },
    de: 'Eine Anfrage mit diesem Idempotency-Key läuft noch',
    en: 'A request with this Idempotency-Key is still running',
  },
  idempotency_mismatch: {
    status: 422,
    headers: { 'voucher-outcome': 'none' },
    de: 'Dieser Idempotency-Key wurde mit anderem Inhalt verwendet',
    en: 'This Idempotency-Key was used with other contents',
  },
  searches_too_many: {
    status: 429,
    headers: { 'retry-after': '2' },
    de: 'Es laufen zu viele Suchen zugleich. Versuchen Sie es gleich erneut.',
    en: 'Too many searches are running at once. Please try again in a moment.',
  },
  search_too_slow: {
    status: 503,
    headers: { 'retry-after': '5' },
    de: 'Die Suche hat zu lange gedauert. Grenzen Sie sie mit site_id, created_after oder mehr Buchstaben ein.',
    en: 'The search took too long. Narrow it with site_id, created_after or more letters.',
  },
  exports_too_many: {
    status: 429,
    headers: { 'retry-after': '5' },
    de: 'Es laufen zu viele Exporte zugleich. Versuchen Sie es gleich erneut.',
    en: 'Too many exports are running at once. Please try again in a moment.',
  },
  export_too_large: {
    status: 400,
    field: { field: 'query', code: 'too_many', allowed: { max_items: 10_000 } },
    de: 'Der Filter trifft auf mehr als 10.000 Einträge zu. Grenzen Sie ihn ein, zum Beispiel auf einen kürzeren Zeitraum.',
    en: 'The filter matches more than 10,000 entries. Narrow it, for example to a shorter time span.',
  },
  slips_not_drawn: {
    status: 503,
    headers: { 'retry-after': '5' },
    de: 'Die Zettel konnten nicht gezeichnet werden. Versuchen Sie es gleich erneut, oder drucken Sie im Browser.',
    en: 'The slips could not be drawn. Please try again in a moment, or print in the browser.',
  },
  overviews_too_many: {
    status: 429,
    headers: { 'retry-after': '5' },
    de: 'Zu viele Übersichten werden zugleich geladen. Versuchen Sie es in 5 Sekunden erneut.',
    en: 'Too many overviews are being loaded. Please try again in 5 seconds.',
  },
  store_unavailable: {
    status: 503,
    error: 'unavailable',
    headers: { 'retry-after': '5' },
    de: 'Der Dienst ist vorübergehend nicht verfügbar, bitte später erneut versuchen',
    en: 'The service is temporarily unavailable, please try again later',
  },
  held: {
    status: 503,
    error: 'unavailable',
    headers: { 'retry-after': '30' },
    de: 'Der Dienst ist angehalten: Er erstellt und widerruft zurzeit keine Voucher. Wer den Dienst betreibt, muss ihn wieder freigeben.',
    en: 'The service is held: it does not create or revoke vouchers at present. The person who runs the service has to end the hold.',
  },
  server_error: { status: 500, de: 'Interner Fehler', en: 'Internal error' },
}
