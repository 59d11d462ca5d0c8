import { Type } from 'typebox'
import type { ErrorCode } from '#domain/errors.ts'
import { catalogue, findAnswer } from '../../errors/catalogue.ts'
import { invalidFieldSchema } from '../../errors/field-errors.ts'

const names = Object.keys(catalogue).flatMap((code) => findAnswer(code as ErrorCode)?.error ?? [])
const errorNames = [...new Set(names)].toSorted()

export const problemSchema = Type.Object(
  {
    error: Type.Unsafe<string>({ type: 'string', enum: errorNames, description: 'New values may be added.' }),
    message: Type.String({
      minLength: 1,
      description: 'A message for people, in English, or in German if Accept-Language prefers it.',
    }),
    request_id: Type.String({
      format: 'uuid',
      description: 'The id of the request. Tell it to the operator. X-Request-Id has the same value.',
    }),
    errors: Type.Optional(
      Type.Array(invalidFieldSchema, { description: 'Every invalid field. Only if fields are the problem.' }),
    ),
  },
  { title: 'Problem' },
)
