import type { Socket } from 'node:net'
import { v7 as uuidv7 } from 'uuid'
import { bodyOf, type Problem, problems } from './problems.ts'

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** What never became a request: the parser gave up or the client was too slow. Answered in the shape of all other errors. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const problem = problemOf(error.code)
  const body = JSON.stringify(bodyOf(problem))
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${reasons[problem.status]}`,
      'Content-Type: application/json; charset=utf-8',
      'Cache-Control: no-store',
      `X-Request-Id: ${uuidv7()}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  // A client that goes on sending is cut off; until then it can read why.
  setTimeout(() => socket.destroy(), 1_000).unref()
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
