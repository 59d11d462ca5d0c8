import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import { includesScope, type Scope } from '#domain/keys/key.ts'
import type { AuthenticatedKey } from '#domain/keys/keys.queries.ts'
import { actorOf, type KeyContext, requireKey } from '../../server/read-request.ts'
import { createInputReader } from './check-input.ts'
import type { Operation, V2Context } from './operation.ts'
import { V2Error } from './problems.ts'

declare module 'fastify' {
  interface FastifyRequest {
    acceptedKey: AuthenticatedKey | undefined
  }
}

/** Registers a route per operation. The checks run in the order of API v1: key, rate limit, method, scope, parameters, body. */
export function registerOperations(app: FastifyInstance, ctx: KeyContext & V2Context, operations: Operation[]): void {
  app.decorateRequest('acceptedKey', undefined)
  const paths = Map.groupBy(operations, ({ path }) => path.replace(/\{(\w+)\}/g, ':$1'))
  for (const [url, atUrl] of paths) {
    for (const operation of atUrl) registerOperation(app, ctx, url, operation)
    rejectOtherMethods(app, ctx, url, new Set(atUrl.flatMap(methodsOf)))
  }
}

function registerOperation(app: FastifyInstance, ctx: KeyContext & V2Context, url: string, operation: Operation): void {
  const { scope, params, status, answer, csvFileName, failureHeaders } = operation
  const readInput = createInputReader(operation)
  app.route({
    method: methodsOf(operation),
    url,
    schema: {
      ...(params && { params }),
      ...(!csvFileName && status !== 204 && { response: { [status]: answer } }),
    },
    onRequest: async (request, reply) => {
      reply.headers(failureHeaders?.(request.headers) ?? {})
      request.acceptedKey = await requireKey(ctx, request, reply, null)
      requireScope(request.acceptedKey.scope, scope)
    },
    handler: async (request: FastifyRequest, reply) => {
      const key = request.acceptedKey as AuthenticatedKey // `onRequest` has set it
      const answered = await operation.handle(ctx, {
        actor: actorOf(key),
        now: key.now,
        params: request.params,
        ...readInput(request),
        markReplayed: () => void reply.header('idempotent-replayed', 'true'),
      })
      for (const name of Object.keys(failureHeaders?.(request.headers) ?? {})) reply.removeHeader(name)
      if (csvFileName) setCsvHeaders(reply, csvFileName((request.params as { id: string }).id))
      reply.code(status)
      if (status === 204) reply.removeHeader('content-type')
      return answered
    },
  })
}

function requireScope(scope: Scope, needed: Scope): void {
  if (includesScope(scope, needed)) return
  throw needed === 'manage' ? new V2Error('manage_scope_missing') : new DomainError('write_scope_missing')
}

/** Node sends the headers of an answer to HEAD, and not its body. */
function methodsOf({ method }: Operation): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

function setCsvHeaders(reply: FastifyReply, fileName: string): void {
  reply.headers({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
  })
}

function rejectOtherMethods(app: FastifyInstance, ctx: KeyContext, url: string, allowed: Set<string>): void {
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
