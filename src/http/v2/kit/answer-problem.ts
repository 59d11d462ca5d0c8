import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, type RequestErrorCode } from '#domain/errors.ts'
import { fillPlaceholders, logFailure, requestErrorOf, setCommonHeaders } from '../../server/problems.ts'
import { fieldName } from './check-input.ts'
import { preferredLanguage, problemOf, V2Error, type V2ErrorCode } from './problems.ts'

/** Answers a failure of API v2 with `{error, message, request_id}` in the client's language. */
export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = failureOf(error, request)
  const problem = problemOf(failure.code)
  if (problem.status >= 500) logFailure(error, request)
  const language = preferredLanguage(request.headers['accept-language'])
  setCommonHeaders(request, reply)
  reply.code(problem.status).headers({ ...problem.headers, 'content-language': language, vary: 'Accept-Language' })
  reply.send({
    error: problem.error,
    message: fillPlaceholders(problem.messages[language], failure.details),
    request_id: request.id,
  })
}

type Failure = { code: RequestErrorCode | V2ErrorCode; details: Record<string, string | number> }

function failureOf(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof V2Error) return error
  const { validation } = error as FastifyError
  if (validation) return failureOfValidation(validation[0])
  const details = error instanceof DomainError ? withNameInV2(error.details) : {}
  return { code: requestErrorOf(error, request) ?? 'server_error', details }
}

type Invalid = NonNullable<FastifyError['validation']>[number]

function failureOfValidation(invalid: Invalid | undefined): Failure {
  const { additionalProperty, missingProperty } = invalid?.params ?? {}
  if (additionalProperty !== undefined) return new V2Error('parameter_unknown', fieldName([String(additionalProperty)]))
  const field = missingProperty ?? invalid?.instancePath.split('/')[1] ?? ''
  return new V2Error('parameter_invalid', fieldName([String(field)]))
}

/** Fields that have another name in API v2 than in the domain's errors, which use the names of API v1. */
const namesInV2: Record<string, string> = { 'qos.down': 'qos.down_kbps', 'qos.up': 'qos.up_kbps' }

function withNameInV2({ field, ...details }: Failure['details']): Failure['details'] {
  return field === undefined ? details : { ...details, field: namesInV2[field] ?? field }
}
