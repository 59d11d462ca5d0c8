import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, type ErrorDetails, type RequestErrorCode } from '#domain/errors.ts'
import { fillPlaceholders, logFailure, requestErrorOf, setCommonHeaders } from '../../server/problems.ts'
import { invalidRequest } from './administration-problems.ts'
import { invalidFieldsOf } from './fields-of-failures.ts'
import { type InvalidField, invalidFieldToWire, summaryOf } from './invalid-fields.ts'
import { isV2ErrorCode, preferredLanguage, problemOf, type V2ErrorCode } from './problems.ts'

/**
 * Answers a failure of API v2 with `{error, message, request_id}`, and `errors` with every 400 and some 409, in the client's language.
 */
export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { code, details = {}, invalid = [] } = failureOf(error, request)
  const problem = problemOf(code)
  if (problem.status >= 500) logFailure(error, request)
  const language = preferredLanguage(request.headers['accept-language'])
  const hasOwnMessage = code === 'request_unreadable' || (isV2ErrorCode(code) && problem !== invalidRequest)
  const message = fillPlaceholders(problem.messages[language], details)
  const errors = invalid.map((field) => invalidFieldToWire(field, language, hasOwnMessage ? message : undefined))
  setCommonHeaders(request, reply)
  const { 'voucher-outcome': outcome, ...headers } = problem.headers ?? {}
  reply.code(problem.status).headers({ ...headers, 'content-language': language, vary: 'Accept-Language' })
  if (details['seconds'] !== undefined) reply.header('retry-after', String(details['seconds']))
  // Only operations that create a voucher at once have an outcome. They have already set the header.
  if (outcome !== undefined && reply.hasHeader('voucher-outcome')) reply.header('voucher-outcome', outcome)
  reply.send({
    error: problem.error,
    message: errors.length > 0 ? summaryOf(errors, language) : message,
    request_id: request.id,
    ...(errors.length > 0 && { errors }),
  })
}

type Failure = { code: RequestErrorCode | V2ErrorCode; details?: ErrorDetails; invalid?: InvalidField[] }

function failureOf(error: unknown, request: FastifyRequest): Failure {
  if ((error as FastifyError).validation) return { code: 'not_found' } // only parameters of the path are checked by Fastify
  if (!(error instanceof DomainError)) return requestFailureOf(requestErrorOf(error, request), request)
  const code = isV2ErrorCode(error.code) ? error.code : (requestErrorOf(error, request) ?? 'server_error')
  return { code, details: error.details, invalid: invalidFieldsOf(error) }
}

/** A failure before the handler runs. Uploads and other bodies have different limits. */
function requestFailureOf(
  code: RequestErrorCode | 'server_error' = 'server_error',
  { routeOptions }: FastifyRequest,
): Failure {
  const { upload } = routeOptions.config ?? {}
  if (code !== 'payload_too_large' || !upload) return { code, invalid: invalidFieldsOf({ code, details: {} }) }
  return { code: upload.tooLarge, details: { maxKiB: upload.maxBytes / 1024 } }
}
