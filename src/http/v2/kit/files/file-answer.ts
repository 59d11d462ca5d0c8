import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Operation } from '../operation.ts'

/** A file. With a name, browsers save it; without one, they show it. */
export type File = { type: string; bytes: Buffer; fileName?: string }

/** A file in the OpenAPI document. */
export const binary = { type: 'string', format: 'binary' }

const typesOfAnswers = new WeakMap<object, readonly string[]>()

/** The `answer` of an operation that returns a file of one of these types instead of JSON. */
export function fileAnswer(...types: string[]) {
  const answer = Type.Unsafe<File>({ ...binary })
  typesOfAnswers.set(answer, types)
  return answer
}

/** The types of an answer that is a file; undefined for any other answer. */
export function fileTypesOf({ answer }: Pick<Operation, 'answer'>): readonly string[] | undefined {
  return typesOfAnswers.get(answer)
}

/** A saved file may hold names and codes, so no cache keeps it. */
export function toFile(reply: FastifyReply, { type, bytes, fileName }: File): Buffer {
  reply.header('content-type', type)
  if (fileName === undefined) reply.header('content-disposition', 'inline')
  else reply.headers({ 'content-disposition': `attachment; filename="${fileName}"`, 'cache-control': 'no-store' })
  return bytes
}
