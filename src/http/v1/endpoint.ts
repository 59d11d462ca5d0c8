import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import type { Scope } from '#domain/keys/key.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { type KeyContext, requireKey } from './api-key.ts'
import { type SiteId, toSiteId } from './site-id.ts'

/** What a handler is given: the key that was accepted and the site that the address names. */
export type Call = { key: KeyAtWork; siteId: SiteId; body: unknown; headers: IncomingHttpHeaders; reply: FastifyReply }

type Method = { scope: Scope; handle: (call: Call) => Promise<unknown> }

declare module 'fastify' {
  interface FastifyRequest {
    call: { key: KeyAtWork; siteId: SiteId } | undefined
  }
}

/** One address of API v1, with its checks in the order of the contract: key, limit, method, scope, then the body. */
export function registerEndpoint(
  app: FastifyInstance,
  ctx: KeyContext,
  url: string,
  methods: Partial<Record<string, Method>>,
): void {
  app.route({
    method: [...app.supportedMethods],
    url,
    onRequest: async (request, reply) => {
      const siteId = toSiteId((request.query as Record<string, unknown>)['site_id'])
      const key = await requireKey(ctx, request, reply, typeof siteId === 'number' ? siteId : null)
      const method = methods[request.method]
      if (!method) {
        reply.header('allow', Object.keys(methods).join(', '))
        throw new DomainError('method_not_allowed')
      }
      if (method.scope === 'write' && key.scope !== 'write') throw new DomainError('write_scope_missing')
      request.call = { key, siteId }
    },
    handler: async (request: FastifyRequest, reply) => {
      const { call, body, headers } = request
      // Both were settled before the body was read.
      return methods[request.method]?.handle({ ...(call as { key: KeyAtWork; siteId: SiteId }), body, headers, reply })
    },
  })
}
