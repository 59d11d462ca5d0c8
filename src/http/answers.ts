import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '#domain/errors.ts'
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
  if (problem.status >= 500) request.log.error({ err: error }, 'request failed')
  setCommonHeaders(request, reply)
  reply.code(problem.status).headers(problem.headers ?? {})
  reply.send(bodyOf(problem, error instanceof DomainError ? error.details : {}))
}

const codesOfFastify: Record<string, Problem> = {
  FST_ERR_BAD_URL: problems.request_unreadable,
  FST_ERR_ASYNC_CONSTRAINT: problems.request_unreadable,
  FST_ERR_CTP_BODY_TOO_LARGE: problems.payload_too_large,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: problems.request_unreadable,
}

function problemOf(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof DomainError) return problems[error.code]
  if (error instanceof Unavailable) return problems.store_unavailable
  if (request.raw.readableAborted) return problems.request_unreadable // the client left in the middle of its body
  return codesOfFastify[(error as FastifyError).code] ?? unforeseen(request.id)
}
