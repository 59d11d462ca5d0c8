import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable } from '#db/database.ts'
import type { CreateVoucherContext } from '#domain/creating/create-voucher.ts'
import { DomainError } from '#domain/errors.ts'
import { includesScope, type Scope } from '#domain/keys/key.ts'
import type { AuthenticatedKey } from '#domain/keys/keys.queries.ts'
import { findPresentedKey, type KeyContext, outcomeBeforeCreating, requireKey } from '../server/read-request.ts'
import type { RenderedLists } from '../server/rendered-lists.ts'
import { registerBodyParser, type SiteId, toSiteId } from './lenient-input.ts'
import { registerOpenapi } from './openapi.ts'
import { listSitesPhp } from './sites.ts'
import { createVoucherPhp, listVouchersPhp } from './vouchers.ts'

export type V1Context = KeyContext &
  CreateVoucherContext & { requestDb: Queryable; basePath: string; renderedLists: RenderedLists }

/** API v1: three URLs that never change. */
export function registerV1(app: FastifyInstance, ctx: V1Context): void {
  app.decorateRequest('call', undefined)
  registerBodyParser(app)
  registerOpenapi(app, ctx.basePath)
  registerEndpoint(app, ctx, `${ctx.basePath}/sites.php`, {
    GET: { scope: 'read', handle: (call) => listSitesPhp(ctx, call) },
  })
  registerEndpoint(app, ctx, `${ctx.basePath}/vouchers.php`, {
    GET: { scope: 'read', handle: (call) => listVouchersPhp(ctx, call) },
    POST: {
      scope: 'write',
      handle: (call) => createVoucherPhp(ctx, call),
      failureHeaders: outcomeBeforeCreating,
    },
  })
}

/** The arguments of a handler: the accepted key, the site of the query string, and the body. */
export type Call = {
  key: AuthenticatedKey
  siteId: SiteId
  body: unknown
  headers: IncomingHttpHeaders
  reply: FastifyReply
}

type Method = {
  scope: Scope
  handle: (call: Call) => Promise<unknown>
  /** Headers of every failure from the first check on. A failure may replace them. */
  failureHeaders?: (headers: IncomingHttpHeaders) => Record<string, string>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** `isEarly`: the key was read before the whole body had arrived. */
    call: { key: AuthenticatedKey; siteId: SiteId; isEarly: boolean } | undefined
  }
}

/** Registers one URL of API v1. It checks in the specified order: key, rate limit, method, scope, then the body. */
function registerEndpoint(
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
      reply.headers(method?.failureHeaders?.(request.headers) ?? {})
      const siteId = toSiteId(lastOf((request.query as Query)['site_id']))
      const key = await requireKey(ctx, request, reply, typeof siteId === 'number' ? siteId : null)
      if (!method) {
        reply.header('allow', Object.keys(methods).join(', '))
        throw new DomainError('method_not_allowed')
      }
      if (!includesScope(key.scope, method.scope)) throw new DomainError('write_scope_missing')
      request.call = { key, siteId, isEarly: !request.raw.complete }
    },
    preHandler: async (request) => {
      // The key may have been revoked since its request began: a body may arrive up to 15 seconds after the headers.
      if (request.call?.isEarly) await findPresentedKey(ctx, request, null)
    },
    handler: async (request: FastifyRequest, reply) => {
      const { call, body, headers } = request
      const method = methods[request.method] as Method // `onRequest` has checked it and set the call
      const result = await method.handle({
        ...(call as { key: AuthenticatedKey; siteId: SiteId }),
        body,
        headers,
        reply,
      })
      for (const name of Object.keys(method.failureHeaders?.(headers) ?? {})) reply.removeHeader(name)
      return result
    },
  })
}

type Query = Record<string, string | string[] | undefined>

/** API v1 reads the last value of a parameter that is given several times. */
function lastOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.at(-1) : value
}
