import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Unavailable } from '#db/database.ts'
import { DomainError, type ErrorCode, type RequestErrorCode } from '#domain/errors.ts'
import { ControllerError } from '#drivers/driver.ts'

export type Problem = { status: number; error: string; message?: string; headers?: Record<string, string> }

const outcomeNone = { 'voucher-outcome': 'none' }
const outcomeUnknown = { 'voucher-outcome': 'unknown' }
const checkingOutcome =
  'Ob ein Voucher entstanden ist, wird geprüft. Bitte mit demselben Idempotency-Key wiederholen oder die Liste abfragen.'

/** Status, error name and German message of every foreseen failure. A code that is missing here does not compile. */
export const problems: Record<RequestErrorCode, Problem> = {
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
    message: `Der Controller hat nicht rechtzeitig geantwortet. ${checkingOutcome}`,
    headers: outcomeUnknown,
  },
  controller_failed: {
    status: 500,
    error: 'server_error',
    message: `Der Controller hat die Anfrage nicht beantwortet. ${checkingOutcome}`,
    headers: outcomeUnknown,
  },
  recording_failed: {
    status: 500,
    error: 'server_error',
    message: `Der Voucher konnte nicht gespeichert werden. ${checkingOutcome}`,
    headers: outcomeUnknown,
  },
  no_voucher: {
    status: 502,
    error: 'upstream_error',
    message: `Der Controller hat keinen gültigen Voucher geliefert. ${checkingOutcome}`,
    headers: outcomeUnknown,
  },
  store_unavailable: {
    status: 503,
    error: 'unavailable',
    message: 'Der Dienst ist vorübergehend nicht verfügbar, bitte später erneut versuchen',
    headers: { 'retry-after': '5' },
  },
  held: {
    status: 503,
    error: 'unavailable',
    message: 'Der Dienst ist vorübergehend nicht verfügbar, bitte später erneut versuchen',
    headers: { 'retry-after': '5' },
  },
}

/** The answer to an unforeseen failure. The request id leads to the details in the log. */
function unforeseen(requestId: string): Problem {
  return { status: 500, error: 'server_error', message: `Interner Fehler (${requestId})` }
}

export function bodyOf(
  problem: Problem,
  details: Record<string, string | number> = {},
): { error: string; message?: string } {
  const { error, message } = problem
  if (message === undefined) return { error }
  return { error, message: fillPlaceholders(message, details) }
}

/** Replaces placeholders such as `{field}` by the details of the error. */
export function fillPlaceholders(message: string, details: Record<string, string | number>): string {
  return message.replace(/\{(\w+)\}/g, (placeholder, name) => String(details[name] ?? placeholder))
}

/** False for errors that only API v2 or the command line answers, such as errors of administration. */
function isRequestError(code: ErrorCode): code is RequestErrorCode {
  return code in problems
}

/** Sets the headers of every answer, successful or not. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff', // browsers must not guess another type, such as HTML, from the content
    'x-request-id': request.id,
  })
}

/** Answers a failure of API v1, or of a path that belongs to neither API. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error, request)
  if (problem.status >= 500) logFailure(error, request)
  setCommonHeaders(request, reply)
  reply.code(problem.status).headers(problem.headers ?? {})
  reply.send(bodyOf(problem, error instanceof DomainError ? error.details : {}))
}

/** Logs a foreseen failure as one line and an unforeseen one with its stack. */
export function logFailure(error: unknown, request: FastifyRequest): void {
  if (!(error instanceof DomainError || error instanceof Unavailable)) {
    request.log.error({ err: error }, 'request failed')
    return
  }
  const { cause, message } = error
  const details = error instanceof DomainError ? error.details : {}
  const isForeseen = cause === undefined || cause instanceof ControllerError || error instanceof Unavailable
  const because = isForeseen ? { because: (cause as Error | undefined)?.message } : { err: cause }
  request.log.warn({ failure: message, ...details, ...because }, 'request failed')
}

/** Errors that Fastify throws, as our codes. */
const codesOfFastify: Partial<Record<string, RequestErrorCode>> = {
  FST_ERR_BAD_URL: 'request_unreadable',
  FST_ERR_MAX_PARAM_LENGTH: 'endpoint_not_found',
  FST_ERR_ASYNC_CONSTRAINT: 'request_unreadable',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request_unreadable',
}

/** The code of a foreseen failure that both APIs share; undefined for any other error. */
export function requestErrorOf(error: unknown, request: FastifyRequest): RequestErrorCode | undefined {
  if (error instanceof DomainError && isRequestError(error.code)) return error.code
  if (error instanceof Unavailable) return 'store_unavailable'
  if (isOfRemovedSite(error)) return 'site_not_found'
  if (request.raw.readableAborted) return 'request_unreadable' // the client disconnected while sending its body
  return codesOfFastify[(error as FastifyError).code]
}

/** PostgreSQL rejected a row because its site was removed while the request was running. */
function isOfRemovedSite(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23503' && String(constraint).endsWith('_site_id_fkey')
}

function problemOf(error: unknown, request: FastifyRequest): Problem {
  const code = requestErrorOf(error, request)
  return code === undefined ? unforeseen(request.id) : problems[code]
}
