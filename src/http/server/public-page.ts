import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '#domain/errors.ts'

/** Serves a page that needs no API key and counts towards no rate limit. All other methods are rejected. */
export function registerPublicPage(
  app: FastifyInstance,
  page: { url: string; methods?: string[]; render: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> },
): void {
  const { url, methods = ['GET', 'HEAD'], render } = page
  app.route({
    method: [...app.supportedMethods],
    url,
    onRequest: async (request, reply) => {
      if (methods.includes(request.method)) return
      reply.header('allow', methods.join(', '))
      throw new DomainError('method_not_allowed')
    },
    handler: render,
  })
}

/** Scheme and host as the client used them. The Host header was checked before; only a trusted proxy can say `https`. */
export function originOf(request: FastifyRequest): string {
  return `${request.protocol === 'https' ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`
}
