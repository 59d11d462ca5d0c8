import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'
import { catalogue, findAnswer } from '../../errors/catalogue.ts'
import { type InvalidField, invalidFieldsOf, invalidFieldToWire, summaryOf } from '../../errors/field-errors.ts'
import { fillPlaceholders } from '../../errors/fill-placeholders.ts'
import { logFailure, requestErrorOf, setCommonHeaders } from '../../server/answer-error.ts'
import { preferredLanguage } from '../../server/preferred-language.ts'

/**
 * Answers a failure of API v2 with `{error, message, request_id}`, and `errors` with every 400 and some 409, in the client's language.
 */
export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { code, details = {}, invalid = [] } = failureOf(error, request)
  const problem = findAnswer(code) as NonNullable<ReturnType<typeof findAnswer>>
  if (problem.status >= 500) logFailure(error, request)
  const language = preferredLanguage(request.headers['accept-language'])
  const hasOwnWords = 'en' in catalogue[code] && code !== 'invalid_request' && invalid.length === 1
  const message = fillPlaceholders(problem[language], details)
  const errors = invalid.map((field) => invalidFieldToWire(field, language, hasOwnWords ? message : undefined))
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

type Failure = { code: ErrorCode; details?: ErrorDetails; invalid?: InvalidField[] }

function failureOf(error: unknown, request: FastifyRequest): Failure {
  if ((error as FastifyError).validation) return { code: 'not_found' } // only parameters of the path are checked by Fastify
  if (!(error instanceof DomainError)) return requestFailureOf(requestErrorOf(error, request), request)
  const code = findAnswer(error.code) ? error.code : 'server_error'
  return { code, details: error.details, invalid: invalidFieldsOf(error) }
}

/** A failure before the handler runs. Uploads and other bodies have different limits. */
function requestFailureOf(code: ErrorCode = 'server_error', { routeOptions }: FastifyRequest): Failure {
  const { upload } = routeOptions.config ?? {}
  const details = { maxKiB: (routeOptions.bodyLimit ?? 0) / 1024 }
  if (code !== 'payload_too_large' || !upload) return { code, details, invalid: invalidFieldsOf({ code, details: {} }) }
  return { code: upload.tooLarge, details }
}
