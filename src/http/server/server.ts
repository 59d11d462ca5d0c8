import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import { DomainError } from '#domain/errors.ts'
import { closeListener } from '#lib/close-listener.ts'
import { type Connections, trackConnections } from '#lib/http-connections.ts'
import type { Observer } from '#lib/observer.ts'
import { registerReference } from '../reference/register-reference.ts'
import { registerStartPage } from '../reference/start-page.ts'
import { registerSingleSignOn } from '../session/single-sign-on.ts'
import { registerV1, type V1Context } from '../v1/register-v1.ts'
import { answerProblem } from '../v2/errors/answer-problem.ts'
import type { V2Context } from '../v2/kit/operation.ts'
import type { CallerContext } from '../v2/kit/require-caller.ts'
import { isUnderV2, operations, registerV2 } from '../v2/register-v2.ts'
import { asksForPage, builtWeb, registerWeb } from '../web.ts'
import { answerError, setCommonHeaders } from './answer-error.ts'
import { type Health, registerHealth } from './health.ts'
import { framingProblem, onClientError, rejectUnsupported } from './malformed-requests.ts'
import { createRenderedLists } from './rendered-lists.ts'
import { registerSecurityTxt } from './security-txt.ts'

const headersTimeoutMs = 10_000
const requestTimeoutMs = 15_000
const maxHeaderBytes = 8 * 1024
const maxBodyBytes = 64 * 1024

type ServerContext = Omit<V1Context & V2Context, 'renderedLists'> &
  CallerContext & {
    log: FastifyBaseLogger
    health: Health
    trustedProxies: string[]
    listCacheMiB: number
    securityContact: string | undefined
    /** The folder of the built web app, if it is not the usual one. */
    webFolder?: string
    observer?: Pick<Observer, 'requestAnswered'> | undefined
  }

export type RunningServer = { port: number; stop(): Promise<void> }

/**
 * Starts the HTTP server. `stop` first reports "not ready" for `drainMs`, so that a load balancer can notice. Then it accepts
 * no new connections and returns when every request under way is answered.
 */
export async function serve(
  ctx: Omit<ServerContext, 'health'>,
  options: { port: number; address: string; health: Health; drainMs?: number },
): Promise<RunningServer> {
  let stopping = false
  const { app, connections } = createServer({
    ...ctx,
    health: {
      readiness: async () => (stopping ? { status: 'not_ready', reason: 'stopping' } : options.health.readiness()),
    },
  })
  // Keep-alive connections would keep the process running.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close')
    done(null, payload)
  })
  const listenTextResolver = (url: string) => `api is listening on ${url}`
  await app.listen({ port: options.port, host: options.address, listenTextResolver })
  return {
    port: (app.server.address() as AddressInfo).port,
    async stop() {
      stopping = true
      const { drainMs = 0 } = options
      await pause(drainMs)
      await closeListener(app.server)
      // A new connection may carry a request that was not read yet, so it stays open for as long as the drain took.
      const idle = setInterval(() => connections.closeIdle(drainMs), 50)
      const deadline = setTimeout(() => app.server.closeAllConnections(), requestTimeoutMs)
      await app.close()
      clearInterval(idle)
      clearTimeout(deadline)
    },
  }
}

/**
 * The Fastify application with everything that both APIs share: limits, log lines, error answers, health, the reference
 * and the web app.
 */
function createServer(ctx: ServerContext): { app: FastifyInstance; connections: Connections } {
  const app = fastify({
    loggerInstance: ctx.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(), // Node buffers random bytes for it; a UUIDv7 takes five times as long
    trustProxy: ctx.trustedProxies.length > 0 ? ctx.trustedProxies : false,
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: false,
    return503OnClosing: false, // requests that arrive on open connections are still answered
    forceCloseConnections: false, // `serve` closes them once no request can be under way
    requestTimeout: requestTimeoutMs,
    http: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: 500, // by default Node checks for slow sockets only every 30 s
      requireHostHeader: false,
    },
    clientErrorHandler: onClientError(ctx.log, () => connections),
    // Requests that cannot be routed, such as a broken percent-encoding. The URL alone decides which API answers.
    frameworkErrors: (error, request, reply) =>
      (isUnderV2(request.url) ? answerProblem : answerError)(error, request, reply),
    ajv: { customOptions: { removeAdditional: false } }, // unknown parameters are rejected, not dropped
  })
  const connections = trackConnections(app.server, ctx.log)
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }

  const isEncrypted = ctx.publicUrl?.startsWith('https://') === true
  // Hooks that never wait take a callback instead of returning a promise, because every request runs them.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.raw.socket.destroyed) return // one of too many requests at once: nobody can read an answer
    setCommonHeaders(request, reply)
    if (isEncrypted) reply.header('strict-transport-security', 'max-age=31536000')
    // Bodies are parsed whatever their Content-Type is. Fastify would reject a malformed one before it calls our parsers.
    request.sentContentType = request.headers['content-type']
    request.headers['content-type'] = 'application/json'
    reply.raw.once('close', () => {
      if (reply.raw.headersSent && !reply.raw.writableFinished) noteAnswer(ctx, request, reply)
    })
    done(framingProblem(request.raw))
  })
  app.addHook('onResponse', (request, reply, done) => {
    noteAnswer(ctx, request, reply)
    done()
  })
  app.decorateRequest('keyPrefix', undefined)
  app.decorateRequest('staffId', undefined)
  app.decorateRequest('sentContentType', undefined)
  app.setErrorHandler(answerError)
  const web = registerWeb(app, ctx, ctx.webFolder ?? builtWeb)
  app.setNotFoundHandler((request, reply) => {
    if (web && asksForPage(request, ctx.basePath)) return web.answerPage(request, reply.code(404))
    throw new DomainError('endpoint_not_found')
  })
  rejectUnsupported(app)
  sendContinueAfterKeyCheck(app)
  registerHealth(app, ctx.health)
  registerSecurityTxt(app, ctx)
  registerSingleSignOn(app, ctx)
  const renderedLists = createRenderedLists(ctx.listCacheMiB)
  registerV1(app, { ...ctx, renderedLists })
  registerV2(app, { ...ctx, renderedLists }, web?.script)
  registerReference(app, operations, ctx.publicUrl)
  registerStartPage(app, web)
  return { app, connections }
}

/**
 * Logs and counts an answer. Fastify runs no hook for an answer that was cut off, because the client has disconnected or
 * because a stream failed. The line of such an answer has the status that was sent.
 */
function noteAnswer({ observer }: ServerContext, request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      path: request.url.split('?', 1)[0],
      status: reply.statusCode,
      ...(!reply.raw.writableFinished && { cutOff: true }),
      ms: Math.round(reply.elapsedTime),
      key: request.keyPrefix,
      staff: request.staffId,
      clientRequestId: request.headers['x-request-id'],
    },
    'request',
  )
  observer?.requestAnswered({
    method: request.method,
    route: request.routeOptions.url,
    status: reply.statusCode,
    seconds: reply.elapsedTime / 1_000,
  })
}

/** With `Expect: 100-continue`, a client sends its body only after the answer 100, which it gets once its key is accepted. */
function sendContinueAfterKeyCheck(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response))
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.headers.expect !== undefined) reply.raw.writeContinue()
    done(null, payload)
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Prefix of the accepted API key, for the log. */
    keyPrefix: string | undefined
    /** Id of the person who is signed in, for the log. */
    staffId: string | undefined
    /** The Content-Type as the client sent it. */
    sentContentType: string | undefined
  }
}
