import type { ErrorCode } from '#domain/errors.ts'

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
