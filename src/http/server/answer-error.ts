import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Unavailable } from '#db/database.ts'
import { DomainError, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'
import { ControllerError } from '#drivers/driver.ts'
import { fillPlaceholders } from '../errors/fill-placeholders.ts'
import { type V1ErrorCode, type V1Problem, v1Problems } from '../errors/v1-problems.ts'

/** Answers a failure of API v1, or of a path that belongs to neither API. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error, request)
  if (problem.status >= 500) logFailure(error, request)
  setCommonHeaders(request, reply)
  reply.code(problem.status).headers(problem.headers ?? {})
  const details = error instanceof DomainError ? error.details : {}
  if (problem.status === 429 && details['seconds'] !== undefined)
    reply.header('retry-after', String(details['seconds']))
  reply.send(bodyOf(problem, details))
}

function problemOf(error: unknown, request: FastifyRequest): V1Problem {
  const code = requestErrorOf(error, request)
  return code === undefined ? unforeseen(request.id) : v1Problems[code]
}

/** The answer to an unforeseen failure. The request id leads to the details in the log. */
function unforeseen(requestId: string): V1Problem {
  return { status: 500, error: 'server_error', message: `Interner Fehler (${requestId})` }
}

export function bodyOf(problem: V1Problem, details: ErrorDetails = {}): { error: string; message?: string } {
  const { error, message } = problem
  if (message === undefined) return { error }
  return { error, message: fillPlaceholders(message, details) }
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
const codesOfFastify: Partial<Record<string, V1ErrorCode>> = {
  FST_ERR_BAD_URL: 'request_unreadable',
  FST_ERR_MAX_PARAM_LENGTH: 'endpoint_not_found',
  FST_ERR_ASYNC_CONSTRAINT: 'request_unreadable',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request_unreadable',
}

/** The code of a foreseen failure that both APIs share; undefined for any other error. */
export function requestErrorOf(error: unknown, request: FastifyRequest): V1ErrorCode | undefined {
  if (error instanceof DomainError && isV1Error(error.code)) return error.code
  if (error instanceof Unavailable) return 'store_unavailable'
  if (isOfRemovedSite(error)) return 'site_not_found'
  if (request.raw.readableAborted) return 'request_unreadable' // the client disconnected while sending its body
  return codesOfFastify[(error as FastifyError).code]
}

/** False for errors that only API v2 or the command line can cause, such as errors of administration. */
function isV1Error(code: ErrorCode): code is V1ErrorCode {
  return code in v1Problems
}

/** PostgreSQL rejected a row because its site was removed while the request was running. */
function isOfRemovedSite(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23503' && String(constraint).endsWith('_site_id_fkey')
}
