import type { FastifyInstance } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import { openapiDocument } from './openapi-document.ts'
import type { Operation } from './operation.ts'

/** GET /api/v2/openapi.json: open to everybody, never limited. */
export function registerOpenapi(app: FastifyInstance, operations: Operation[]): void {
  const text = JSON.stringify(openapiDocument(operations), null, 2)
  app.route({
    method: [...app.supportedMethods],
    url: '/openapi.json',
    onRequest: async (request, reply) => {
      if (request.method === 'GET') return
      reply.header('allow', 'GET')
      throw new DomainError('method_not_allowed')
    },
    handler: async () => text,
  })
}
