import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { type KeyContext, requireKey } from '../api-key.ts'
import type { Operation, V2Context } from './operation.ts'
import { readQuery } from './query.ts'

declare module 'fastify' {
  interface FastifyRequest {
    acceptedKey: KeyAtWork | undefined
  }
}

/** Checks in the order of API v1: key, limit, method; then the parameters. */
export function registerOperations(app: FastifyInstance, ctx: KeyContext & V2Context, operations: Operation[]): void {
  app.decorateRequest('acceptedKey', undefined)
  const paths = Map.groupBy(operations, ({ path }) => path.replace(/\{(\w+)\}/g, ':$1'))
  for (const [url, atUrl] of paths) {
    for (const operation of atUrl) registerOperation(app, ctx, url, operation)
    refuseOtherMethods(app, ctx, url, new Set(atUrl.map(({ method }) => method)))
  }
}

function registerOperation(app: FastifyInstance, ctx: KeyContext & V2Context, url: string, operation: Operation): void {
  const { method, params, query, answer } = operation
  app.route({
    method,
    url,
    schema: { ...(params && { params }), querystring: query ?? noParameters, response: { 200: answer } },
    onRequest: async (request, reply) => {
      request.acceptedKey = await requireKey(ctx, request, reply, null)
      request.query = readQuery(request.raw.url ?? '')
    },
    handler: async (request: FastifyRequest) => {
      const key = request.acceptedKey as KeyAtWork // nobody comes here without
      return operation.handle(ctx, { key, params: request.params, query: request.query })
    },
  })
}

const noParameters = { type: 'object', additionalProperties: false }

function refuseOtherMethods(app: FastifyInstance, ctx: KeyContext, url: string, allowed: Set<string>): void {
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.has(method)),
    url,
    onRequest: async (request, reply) => {
      await requireKey(ctx, request, reply, null)
      reply.header('allow', [...allowed].join(', '))
      throw new DomainError('method_not_allowed')
    },
    handler: () => undefined,
  })
}
