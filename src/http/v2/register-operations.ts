import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { DomainError } from '#domain/errors.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { type KeyContext, requireKey } from '../api-key.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { bodyCheck } from './body.ts'
import type { Operation, V2Context } from './operation.ts'
import { readQuery, refuseOddNumbers } from './query.ts'

declare module 'fastify' {
  interface FastifyRequest {
    acceptedKey: KeyAtWork | undefined
  }
}

/** Checks in the order of API v1: key, limit, method, scope; then the parameters and the body. */
export function registerOperations(app: FastifyInstance, ctx: KeyContext & V2Context, operations: Operation[]): void {
  app.decorateRequest('acceptedKey', undefined)
  const paths = Map.groupBy(operations, ({ path }) => path.replace(/\{(\w+)\}/g, ':$1'))
  for (const [url, atUrl] of paths) {
    for (const operation of atUrl) registerOperation(app, ctx, url, operation)
    refuseOtherMethods(app, ctx, url, new Set<string>(atUrl.map(({ method }) => method)))
  }
}

function registerOperation(app: FastifyInstance, ctx: KeyContext & V2Context, url: string, operation: Operation): void {
  const { method, scope, params, query, body, status, answer, csvFile, failsWith } = operation
  const checkBody = bodyCheck(body ?? Type.Object({}, { additionalProperties: false }))
  app.route({
    method,
    url,
    schema: {
      ...(params && { params }),
      querystring: query ?? noParameters,
      ...(!csvFile && { response: { [status]: answer } }),
    },
    onRequest: async (request, reply) => {
      reply.headers(failsWith?.(request.headers) ?? {})
      request.acceptedKey = await requireKey(ctx, request, reply, null)
      if (scope === 'write' && request.acceptedKey.scope !== 'write') throw new DomainError('write_scope_missing')
      const parameters = readQuery(request.raw.url ?? '')
      if (query) refuseOddNumbers(query, parameters)
      request.query = parameters
    },
    handler: async (request: FastifyRequest, reply) => {
      if (body || request.body !== undefined) checkBody(request.body)
      const answered = await handle(ctx, operation, request, reply)
      for (const name of Object.keys(failsWith?.(request.headers) ?? {})) reply.removeHeader(name)
      if (csvFile) nameFile(reply, csvFile((request.params as { id: string }).id))
      reply.code(status)
      return answered
    },
  })
}

const noParameters = { type: 'object', additionalProperties: false }

function handle(ctx: V2Context, operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return operation.handle(ctx, {
    key: request.acceptedKey as KeyAtWork, // nobody comes here without
    params: request.params,
    query: request.query,
    body: request.body,
    idempotencyKey: operation.creates && readIdempotencyKey(request.headers),
    wasReplayed: () => void reply.header('idempotent-replayed', 'true'),
  })
}

function nameFile(reply: FastifyReply, name: string): void {
  reply.headers({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': `attachment; filename="${name}"` })
}

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
