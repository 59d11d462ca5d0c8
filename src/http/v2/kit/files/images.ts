import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { ErrorCode } from '#domain/errors.ts'
import type { Operation } from '../operation.ts'

/** A body that is a file instead of JSON. The handler checks by the content whether the file has one of the types. */
export type Upload = {
  types: readonly string[]
  maxBytes: number
  tooLarge: ErrorCode
}

declare module 'fastify' {
  interface FastifyContextConfig {
    upload?: Upload
  }
}

export type Image = { type: string; bytes: Buffer }

/** A file in the OpenAPI document. */
export const binary = { type: 'string', format: 'binary' }

/** The `answer` of an operation that returns an image instead of JSON. */
export const imageAnswer = Type.Unsafe<Image>(binary)

/** The types of an answer that is an image; undefined for any other answer. */
export function imageTypesOf({ answer }: Operation): string[] | undefined {
  return answer === imageAnswer ? ['image/png', 'image/jpeg'] : undefined
}

export function toImage(reply: FastifyReply, { type, bytes }: Image): Buffer {
  reply.headers({ 'content-type': type, 'content-disposition': 'inline' })
  return bytes
}
