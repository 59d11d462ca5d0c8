import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import { openapiDocument } from './openapi-document.ts'

/** GET /openapi.php: open to everybody, never limited. */
export function registerOpenapi(app: FastifyInstance, basePath: string): void {
  app.route({
    method: [...app.supportedMethods],
    url: `${basePath}/openapi.php`,
    onRequest: async (request, reply) => {
      if (request.method === 'GET') return
      reply.header('allow', 'GET')
      throw new DomainError('method_not_allowed')
    },
    handler: async (request, reply) => {
      reply.header('vary', 'Host')
      return JSON.stringify(openapiDocument(directoryOf(request, basePath)), null, 4)
    },
  })
}

/** As the client reached it. The Host header was checked before; `https` is known only from a trusted proxy. */
function directoryOf(request: FastifyRequest, basePath: string): string {
  const scheme = request.protocol === 'https' ? 'https' : 'http'
  return `${scheme}://${request.headers.host ?? 'localhost'}${basePath}`
}
