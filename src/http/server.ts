import { METHODS } from 'node:http'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { DomainError } from '#domain/errors.ts'
import { answerError, setCommonHeaders } from './answers.ts'
import { onClientError, refuseUnusual } from './client-errors.ts'
import { type Connections, trackConnections } from './connections.ts'
import { checkFraming } from './framing.ts'
import { type Health, registerHealth } from './health.ts'
import { registerReference } from './reference/register-reference.ts'
import { registerV1, type V1Context } from './v1/routes.ts'
import { createListCache } from './v1/vouchers.ts'
import { answerProblem } from './v2/answers.ts'
import type { V2Context } from './v2/operation.ts'
import { operations } from './v2/operations.ts'
import { isOfV2, registerV2 } from './v2/routes.ts'

const headersTimeoutMs = 10_000
export const requestTimeoutMs = 15_000
const maxHeaderBytes = 8 * 1024
const maxBodyBytes = 64 * 1024

export type ServerContext = Omit<V1Context, 'listCache'> &
  V2Context & {
    log: FastifyBaseLogger
    health: Health
    trustedProxies: string[]
    listCacheMiB: number
  }

export function createServer(ctx: ServerContext): { app: FastifyInstance; connections: Connections } {
  const app = fastify({
    loggerInstance: ctx.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(),
    trustProxy: ctx.trustedProxies.length > 0 ? ctx.trustedProxies : false,
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: false,
    return503OnClosing: false, // a request that arrived on an open connection is still answered
    forceCloseConnections: false, // `serve` ends them, when nothing can be on its way any more
    requestTimeout: requestTimeoutMs,
    http: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: 500, // slow sockets are else seen only every 30 s
      requireHostHeader: false,
    },
    clientErrorHandler: onClientError(ctx.log, () => connections),
    // What has no route yet, such as a garbled escape: the address alone tells whose answer it gets.
    frameworkErrors: (error, request, reply) =>
      (isOfV2(request.url) ? answerProblem : answerError)(error, request, reply),
    ajv: { customOptions: { removeAdditional: false } }, // an unknown parameter is refused, not dropped
    routerOptions: { querystringParser: (text) => Object.fromEntries(new URLSearchParams(text)) },
  })
  const connections = trackConnections(app.server)
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }

  app.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(request, reply)
    checkFraming(request.raw)
    // It is ignored, but a garbled one would be refused before any parser is asked.
    request.headers['content-type'] = 'application/json'
  })
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        key: request.keyPrefix,
        clientRequestId: request.headers['x-request-id'],
      },
      'request',
    )
  })
  app.decorateRequest('keyPrefix', undefined)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(() => {
    throw new DomainError('endpoint_not_found')
  })
  refuseUnusual(app)
  askForBodiesOnlyOnceWanted(app)
  registerHealth(app, ctx.health)
  registerV1(app, { ...ctx, listCache: createListCache(ctx.listCacheMiB) })
  registerV2(app, ctx)
  registerReference(app, operations)
  return { app, connections }
}

/** `Expect: 100-continue`: the client holds its body back until it is asked, which is after the key was accepted. */
function askForBodiesOnlyOnceWanted(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response))
  app.addHook('preParsing', async (request, reply) => {
    if (request.headers.expect !== undefined) reply.raw.writeContinue()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The front of the key that was accepted, for the log. */
    keyPrefix: string | undefined
  }
}
