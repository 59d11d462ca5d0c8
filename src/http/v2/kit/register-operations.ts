import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Requester } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { preferredLanguage } from '../../server/preferred-language.ts'
import { browserSessionOf } from '../../session/browser-session.ts'
import { createInputReader } from './check-input.ts'
import { type Image, imageAnswer, toImage } from './files/images.ts'
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
  const paths = Map.groupBy(operations, ({ path }) => path.replace(/\{(\w+)\}/g, ':$1'))
  for (const [url, atUrl] of paths) {
    for (const operation of atUrl) registerOperation(app, ctx, url, operation)
    rejectOtherMethods(app, ctx, url, atUrl)
  }
}

function registerOperation(
  app: FastifyInstance,
  ctx: CallerContext & V2Context,
  url: string,
  operation: Operation,
): void {
  const { params, upload, status, answer, csvFileName, failureHeaders } = operation
  const readInput = createInputReader(operation)
  app.route({
    method: methodsOf(operation),
    url,
    ...(upload && { bodyLimit: upload.maxBytes, config: { upload } }),
    schema: {
      ...(params && { params }),
      ...(!csvFileName && status !== 204 && { response: { [status]: answer } }),
    },
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
      if (status === 204) reply.removeHeader('content-type')
      if (answered instanceof Readable) return sendStream(request, answered)
      return answer === imageAnswer ? toImage(reply, answered as Image) : answered
    },
  })
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

function rejectOtherMethods(app: FastifyInstance, ctx: CallerContext, url: string, atUrl: Operation[]): void {
  const allowed = new Set(atUrl.flatMap(methodsOf))
  const isPublic = atUrl.some((operation) => operation.isPublic)
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.has(method)),
    url,
    onRequest: async (request, reply) => {
      if (!isPublic) await requireCaller(ctx, request, reply)
      reply.header('allow', [...allowed].join(', '))
      throw new DomainError('method_not_allowed')
    },
    handler: () => undefined,
  })
}
