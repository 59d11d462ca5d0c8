import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, type ErrorCode } from '#domain/errors.ts'
import { Unavailable } from '#lib/unavailable.ts'
import { codesOfFastify, logFailure, setCommonHeaders } from '../answers.ts'
import { fillGaps } from '../problems.ts'
import { fieldName } from './body.ts'
import { preferredLanguage } from './language.ts'
import { type OwnCode, problemOf, Refused } from './problems.ts'

/** Every failure of API v2: `{error, message, request_id}`, in the client's language. */
export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error)
  const problem = problemOf(refusal.code)
  if (problem.status >= 500) logFailure(error, request)
  const language = preferredLanguage(request.headers['accept-language'])
  setCommonHeaders(request, reply)
  reply.code(problem.status).headers({ ...problem.headers, 'content-language': language, vary: 'Accept-Language' })
  reply.send({
    error: problem.error,
    message: fillGaps(problem.words[language], refusal.details),
    request_id: request.id,
  })
}

type Refusal = { code: ErrorCode | OwnCode; details: Record<string, string | number> }

function refusalOf(error: unknown): Refusal {
  if (error instanceof DomainError) return { code: error.code, details: withOwnField(error.details) }
  if (error instanceof Refused) return error
  if (error instanceof Unavailable) return { code: 'store_unavailable', details: {} }
  const { code, validation } = error as FastifyError
  if (validation) return refusalOfValidation(validation[0])
  return { code: codesOfFastify[code] ?? 'server_error', details: {} }
}

type Invalid = NonNullable<FastifyError['validation']>[number]

function refusalOfValidation(invalid: Invalid | undefined): Refusal {
  const { additionalProperty, missingProperty } = invalid?.params ?? {}
  if (additionalProperty !== undefined) return new Refused('parameter_unknown', fieldName([String(additionalProperty)]))
  const field = missingProperty ?? invalid?.instancePath.split('/')[1] ?? ''
  return new Refused('parameter_invalid', fieldName([String(field)]))
}

/** Two fields have other names in API v1. */
const ownFields: Record<string, string> = { 'qos.down': 'qos.down_kbps', 'qos.up': 'qos.up_kbps' }

function withOwnField({ field, ...details }: Refusal['details']): Refusal['details'] {
  return field === undefined ? details : { ...details, field: ownFields[field] ?? field }
}
