import type { FastifyInstance } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import type { KeyContext } from '../api-key.ts'
import { answerProblem } from './answers.ts'
import { registerBodyParser } from './body.ts'
import { answerWithEtag } from './etag.ts'
import { registerOpenapi } from './openapi.ts'
import type { V2Context } from './operation.ts'
import { operations } from './operations.ts'
import { registerOperations } from './register-operations.ts'

/** Not moved by BASE_PATH, which takes the place of an existing server of API v1. */
const v2Path = '/api/v2'

export function isOfV2(url: string): boolean {
  return url === v2Path || url.startsWith(`${v2Path}/`) || url.startsWith(`${v2Path}?`)
}

/** API v2, with its own shape of failures, also for addresses below it that nobody has. */
export function registerV2(app: FastifyInstance, ctx: KeyContext & V2Context): void {
  app.register(
    (v2, _options, done) => {
      v2.setErrorHandler(answerProblem)
      v2.setNotFoundHandler(() => {
        throw new DomainError('endpoint_not_found')
      })
      v2.addHook('onSend', async (request, reply, payload) =>
        request.method === 'GET' && reply.statusCode === 200 && typeof payload === 'string'
          ? answerWithEtag(request, reply, payload)
          : payload,
      )
      registerBodyParser(v2)
      registerOpenapi(v2, operations)
      registerOperations(v2, ctx, operations)
      done()
    },
    { prefix: v2Path },
  )
}
