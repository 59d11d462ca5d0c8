import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import type { Connections } from '#lib/http-connections.ts'
import type { Log } from '#lib/log.ts'
import { type V1Problem, v1Problems } from '../errors/v1-problems.ts'
import { bodyOf } from './answer-error.ts'

// Requests that the parser rejects reach no route, so their errors are the same for both APIs. A framing problem is found later:
// each API answers it in its own format.

/** The error for a request target or Host header that a proxy could read differently (request smuggling). */
export function framingProblem(request: IncomingMessage): DomainError | undefined {
  const { url, headers } = request
  const isFramed =
    request.httpVersionMajor === 1 &&
    (url?.startsWith('/') || url === '*') &&
    countHosts(request.rawHeaders) <= 1 &&
    (headers.host === undefined || isAuthority(headers.host))
  return isFramed ? undefined : new DomainError('request_unreadable')
}

function countHosts(rawHeaders: string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts += 1
  return hosts
}

const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/

/** Accepts a host name, an IPv4 address or an IPv6 address in brackets, each with or without a port. */
function isAuthority(host: string): boolean {
  const [, bracketed, plain = '', port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^[\]:]*))(?::(\d{1,5}))?$/.exec(host) ?? []
  const isHost = bracketed === undefined ? hostName.test(plain) : isIPv6(bracketed)
  return isHost && (port === undefined || (Number(port) > 0 && Number(port) <= 65535))
}

type ParserError = Error & { code?: string }

/** Answers after the parser gave up or the client was too slow. Earlier requests on the connection are answered first. */
export function onClientError(log: Log, connections: () => Connections) {
  return (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    connections().whenAnswered(socket, () => rejectOnSocket(log, socket, problemOf(error.code)))
  }
}

function problemOf(code: string | undefined): V1Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, error: 'request_timeout', message: 'Die Anfrage kam nicht rechtzeitig vollständig an' }
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, error: 'headers_too_large', message: 'Die Kopfzeilen der Anfrage sind größer als 8 KiB' }
  }
  return v1Problems.request_unreadable
}

/** Rejects CONNECT and unknown expectations. Node would answer them in its own format, or not at all. */
export function rejectUnsupported(app: FastifyInstance): void {
  app.server.on('connect', (_request, socket: Socket) => rejectOnSocket(app.log, socket, v1Problems.request_unreadable))
  app.server.on('checkExpectation', ({ socket }) =>
    rejectOnSocket(app.log, socket, {
      status: 417,
      error: 'invalid_request',
      message: 'Expect wird nur als 100-continue verstanden',
    }),
  )
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
}

function rejectOnSocket(log: Log, socket: Socket, problem: V1Problem): void {
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify(bodyOf(problem))
  const requestId = randomUUID()
  log.info({ reqId: requestId, status: problem.status }, 'rejected a malformed request')
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
  // A client that keeps sending is cut off. The delay lets it read the answer first.
  setTimeout(() => socket.destroy(), 500).unref()
}
