import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Requester } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { preferredLanguage } from '../../server/preferred-language.ts'
import { browserSessionOf } from '../../session/browser-session.ts'
import { createInputReader } from './check-input.ts'
import { type File, fileTypesOf, toFile } from './files/file-answer.ts'
import type { Operation, V2Context } from './operation.ts'
import { type Caller, type CallerContext, requireCaller, requireCallerAgain, requireOwnPage } from './require-caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    /** Whether the whole body had arrived when the caller was read. */
    hasArrived: boolean
  }
}

/** Registers a route per operation. The checks run in the order of API v1: key or session, rate limit, method, scope or role,
 * parameters, body. */
export function registerOperations(
  app: FastifyInstance,
  ctx: CallerContext & V2Context,
  operations: Operation[],
): void {
  app.decorateRequest('caller', undefined)
  app.decorateRequest('hasArrived', false)
  for (const operation of operations) registerOperation(app, ctx, operation)
}

function registerOperation(app: FastifyInstance, ctx: CallerContext & V2Context, operation: Operation): void {
  const { params, upload, maxBodyKiB, status, answer, csvFileName, failureHeaders } = operation
  const readInput = createInputReader(operation)
  app.route({
    method: methodsOf(operation),
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    ...(maxBodyKiB && { bodyLimit: maxBodyKiB * 1024 }),
    ...(upload && { bodyLimit: upload.maxBytes, config: { upload } }),
    ...(params && { schema: { params } }),
    onRequest: async (request, reply) => {
      reply.headers(failureHeaders?.(request.headers) ?? {})
      if (operation.isPublic) requireOwnPage(ctx, request)
      else request.caller = await requireCaller(ctx, request, reply, operation)
      request.hasArrived = request.raw.complete
    },
    preHandler: async (request) => {
      if (!operation.isPublic && !request.hasArrived) request.caller = await requireCallerAgain(ctx, request, operation)
    },
    handler: async (request: FastifyRequest, reply) => {
      const answered = await operation.handle(ctx, {
        ...callerOf(ctx, request),
        language: preferredLanguage(request.headers['accept-language']),
        browser: browserSessionOf(ctx, request, reply),
        params: request.params,
        ...readInput(request),
        untilClosed: () => untilClosed(reply.raw),
        markReplayed: () => void reply.header('idempotent-replayed', 'true'),
      })
      for (const name of Object.keys(failureHeaders?.(request.headers) ?? {})) reply.removeHeader(name)
      if (csvFileName) setCsvHeaders(reply, csvFileName(request.params))
      reply.code(status)
      if (answered instanceof Readable) return sendStream(request, answered)
      if (fileTypesOf(operation)) return toFile(reply, answered as File)
      if (csvFileName) return answered
      if (status === 204) return reply.removeHeader('content-type').send()
      reply.type('application/json; charset=utf-8')
      return Buffer.isBuffer(answered) ? answered : serialize(reply, answered, answer)
    },
  })
}

/** Serializes by the schema, so that no other field is sent. Compiles it for the first answer: at the start, few are used soon. */
function serialize(reply: FastifyReply, answered: unknown, schema: TSchema): string {
  return reply.serializeInput(answered as Record<string, unknown>, schema as Record<string, unknown>) as string
}

/** The caller that `onRequest` has found. A public operation has none and does not use it. */
function callerOf({ clock }: V2Context, { caller }: FastifyRequest) {
  const { actor, now = clock.now(), sessionId, namedSite } = caller ?? {}
  return { actor: actor as Requester, now, sessionId, namedSite }
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

function untilClosed(response: ServerResponse): AbortSignal {
  const closing = new AbortController()
  if (response.closed) closing.abort()
  else response.once('close', () => closing.abort())
  return closing.signal
}

/** Sends a stream. If it fails, Fastify closes the connection, so that the client notices that the answer is incomplete. */
function sendStream({ method, log }: FastifyRequest, stream: Readable): Readable | null {
  stream.once('error', (err) => log.warn({ err }, 'an answer was cut off'))
  if (method !== 'HEAD') return stream
  stream.destroy()
  return null
}

/**
 * Returns a hook that rejects methods which a path of the operations does not have. Requests of other paths pass. Fastify has no
 * routes for these methods: for all thirty methods of each path, they took a tenth of each start.
 */
export function rejectOtherMethods(ctx: CallerContext, operations: Operation[], prefix: string) {
  const paths = [...Map.groupBy(operations, ({ path }) => `${prefix}${path}`)].map(([path, atPath]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: atPath.flatMap(methodsOf),
    isPublic: atPath.some((operation) => operation.isPublic),
  }))
  const byPath = new Map(paths.map((each) => [each.path, each]))
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const url = request.url.split('?', 1)[0] as string
    // The router may have found a path with a parameter for a method that the exact path does not have.
    const found = byPath.get(url) ?? (request.is404 ? paths.find(({ pattern }) => pattern.test(url)) : undefined)
    if (!found || found.methods.includes(request.method)) return
    if (!found.isPublic) await requireCaller(ctx, request, reply)
    reply.header('allow', found.methods.join(', '))
    throw new DomainError('method_not_allowed')
  }
}
