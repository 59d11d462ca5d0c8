import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import { answerWithEtag } from '../v2/etag.ts'
import type { Operation } from '../v2/operation.ts'
import { referencePage, stylesheet } from './reference-page.ts'

/** The page brings all it needs: its own stylesheet may be used, and nothing else be loaded, run, sent or framed. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(stylesheet).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Everybody may keep it; the address of the service stands in it. */
const caching = { 'cache-control': 'public, no-cache', vary: 'Host' }

/** GET /reference: open to everybody, never limited. */
export function registerReference(app: FastifyInstance, operations: Operation[]): void {
  const pageFor = referencePage(operations)
  app.route({
    method: [...app.supportedMethods],
    url: '/reference',
    onRequest: async (request, reply) => {
      if (request.method === 'GET') return
      reply.header('allow', 'GET')
      throw new DomainError('method_not_allowed')
    },
    handler: async (request, reply) => {
      reply.headers(headers)
      return answerWithEtag(request, reply, pageFor(originOf(request)), caching) ?? reply.send()
    },
  })
}

/** As the client reached it. The Host header was checked before; `https` is known only from a trusted proxy. */
function originOf(request: FastifyRequest): string {
  return `${request.protocol === 'https' ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`
}
