import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import type { Connections } from './connections.ts'
import { bodyOf, type Problem, problems } from './problems.ts'

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
}

type ParserError = Error & { code?: string }

/** What never became a request: the parser gave up, or the client was too slow. It follows the answers that still wait. */
export function onClientError(log: FastifyBaseLogger, connections: () => Connections) {
  return (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    connections().whenAnswered(socket, () => refuse(log, socket, problemOf(error.code)))
  }
}

/** What Node would answer in its own shape, or not at all. */
export function refuseUnusual(app: FastifyInstance): void {
  app.server.on('connect', (_request, socket: Socket) => refuse(app.log, socket, problems.request_unreadable))
  app.server.on('checkExpectation', ({ socket }) =>
    refuse(app.log, socket, {
      status: 417,
      error: 'invalid_request',
      message: 'Expect wird nur als 100-continue verstanden',
    }),
  )
}

function refuse(log: FastifyBaseLogger, socket: Socket, problem: Problem): void {
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify(bodyOf(problem))
  const requestId = uuidv7()
  log.info({ reqId: requestId, status: problem.status }, 'refused before it was a request')
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${reasons[problem.status]}`,
      'Content-Type: application/json; charset=utf-8',
      'Cache-Control: no-store',
      `X-Request-Id: ${requestId}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  // A client that goes on sending is cut off; until then it can read why.
  setTimeout(() => socket.destroy(), 500).unref()
}

function problemOf(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, error: 'request_timeout', message: 'Die Anfrage kam nicht rechtzeitig vollständig an' }
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, error: 'headers_too_large', message: 'Die Kopfzeilen der Anfrage sind größer als 8 KiB' }
  }
  return problems.request_unreadable
}
