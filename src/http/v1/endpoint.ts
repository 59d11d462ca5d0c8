import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import type { Scope } from '#domain/keys/key.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { type KeyContext, requireKey } from '../api-key.ts'
import { type SiteId, toSiteId } from './site-id.ts'

/** What a handler is given: the key that was accepted and the site that the address names. */
export type Call = { key: KeyAtWork; siteId: SiteId; body: unknown; headers: IncomingHttpHeaders; reply: FastifyReply }

/** `failsWith` stands on every failure of the method, from the first check on, unless the failure says otherwise. */
type Method = {
  scope: Scope
  handle: (call: Call) => Promise<unknown>
  failsWith?: (headers: IncomingHttpHeaders) => Record<string, string>
}

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
      const method = methods[request.method]
      reply.headers(method?.failsWith?.(request.headers) ?? {})
      const siteId = toSiteId((request.query as Record<string, unknown>)['site_id'])
      const key = await requireKey(ctx, request, reply, typeof siteId === 'number' ? siteId : null)
      if (!method) {
        reply.header('allow', Object.keys(methods).join(', '))
        throw new DomainError('method_not_allowed')
      }
      if (method.scope === 'write' && key.scope !== 'write') throw new DomainError('write_scope_missing')
      request.call = { key, siteId }
    },
    handler: async (request: FastifyRequest, reply) => {
      const { call, body, headers } = request
      const method = methods[request.method] as Method // it and the call were settled before the body was read
      const result = await method.handle({ ...(call as { key: KeyAtWork; siteId: SiteId }), body, headers, reply })
      for (const name of Object.keys(method.failsWith?.(headers) ?? {})) reply.removeHeader(name)
      return result
    },
  })
}
