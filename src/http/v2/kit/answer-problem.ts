import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, type ErrorDetails, type RequestErrorCode } from '#domain/errors.ts'
import { fillPlaceholders, logFailure, requestErrorOf, setCommonHeaders } from '../../server/problems.ts'
import { type InvalidField, InvalidRequest, invalidFieldsOf, invalidFieldToWire, summaryOf } from './invalid-fields.ts'
import { isV2ErrorCode, preferredLanguage, problemOf, V2Error, type V2ErrorCode } from './problems.ts'

/** Answers a failure of API v2 with `{error, message, request_id}`, and `errors` if fields are invalid, in the client's language. */
export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { code, details = {}, invalid = [] } = failureOf(error, request)
  const problem = problemOf(code)
  if (problem.status >= 500) logFailure(error, request)
  const language = preferredLanguage(request.headers['accept-language'])
  const errors = invalid.map((field) => invalidFieldToWire(field, language))
  setCommonHeaders(request, reply)
  const { 'voucher-outcome': outcome, ...headers } = problem.headers ?? {}
  reply.code(problem.status).headers({ ...headers, 'content-language': language, vary: 'Accept-Language' })
  // Only operations that create a voucher at once have an outcome. They have set it before.
  if (outcome !== undefined && reply.hasHeader('voucher-outcome')) reply.header('voucher-outcome', outcome)
  reply.send({
    error: problem.error,
    message: errors.length > 0 ? summaryOf(errors, language) : fillPlaceholders(problem.messages[language], details),
    request_id: request.id,
    ...(errors.length > 0 && { errors }),
  })
}

type Failure = { code: RequestErrorCode | V2ErrorCode; details?: ErrorDetails; invalid?: InvalidField[] }

function failureOf(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof V2Error) return error
  if (error instanceof InvalidRequest) return { code: 'invalid_request', invalid: error.invalid }
  if ((error as FastifyError).validation) return { code: 'not_found' } // only parameters of the path are checked by Fastify
  if (!(error instanceof DomainError)) return { code: requestErrorOf(error, request) ?? 'server_error' }
  const code = isV2ErrorCode(error.code) ? error.code : (requestErrorOf(error, request) ?? 'server_error')
  return { code, details: error.details, invalid: invalidFieldsOf(error) }
}
