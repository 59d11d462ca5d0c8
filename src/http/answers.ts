import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, type ErrorCode } from '#domain/errors.ts'
import { ControllerError } from '#drivers/driver.ts'
import { Unavailable } from '#lib/unavailable.ts'
import { bodyOf, type Problem, problems, unforeseen } from './problems.ts'

/** The headers that every answer carries, the good and the bad. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': request.id,
  })
}

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error, request)
  if (problem.status >= 500) logFailure(error, request)
  setCommonHeaders(request, reply)
  reply.code(problem.status).headers(problem.headers ?? {})
  reply.send(bodyOf(problem, error instanceof DomainError ? error.details : {}))
}

/** What was foreseen is one line for the operator; a stack is for what was not. */
export function logFailure(error: unknown, request: FastifyRequest): void {
  if (!(error instanceof DomainError || error instanceof Unavailable)) {
    request.log.error({ err: error }, 'request failed')
    return
  }
  const { cause, message } = error
  const details = error instanceof DomainError ? error.details : {}
  const foreseen = cause === undefined || cause instanceof ControllerError || error instanceof Unavailable
  const because = foreseen ? { because: (cause as Error | undefined)?.message } : { err: cause }
  request.log.warn({ failure: message, ...details, ...because }, 'request failed')
}

export const codesOfFastify: Partial<Record<string, ErrorCode>> = {
  FST_ERR_BAD_URL: 'request_unreadable',
  FST_ERR_MAX_PARAM_LENGTH: 'endpoint_not_found',
  FST_ERR_ASYNC_CONSTRAINT: 'request_unreadable',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request_unreadable',
}

function problemOf(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof DomainError) return problems[error.code]
  if (error instanceof Unavailable) return problems.store_unavailable
  if (request.raw.readableAborted) return problems.request_unreadable // the client left in the middle of its body
  const code = codesOfFastify[(error as FastifyError).code]
  return code === undefined ? unforeseen(request.id) : problems[code]
}
