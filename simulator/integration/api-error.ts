import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Reply } from '../http/reply.ts'

type Details = { status: number; code?: string; message: string; headers?: Record<string, string> }

/** Thrown by a handler and sent in the application's envelope. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Record<string, string>

  constructor({ status, code = 'api.request.error', message, headers = {} }: Details) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export function badRequest(message: string): ApiError {
  return new ApiError({ status: 400, message })
}

export function typeMismatch(name: string, value: string): ApiError {
  const message = `'${value}' is not a valid '${name}' value`
  return new ApiError({ status: 400, code: 'api.request.argument-type-mismatch', message })
}

/** The application behind the console does not see the console's own prefix. */
const gatewayPrefix = '/proxy/network'

export function applicationError(error: ApiError, { path, nowMs }: { path: string; nowMs: number }): Reply {
  return {
    status: error.status,
    headers: error.headers,
    json: {
      statusCode: error.status,
      statusName: statusText(error.status).toUpperCase().replaceAll(' ', '_'),
      code: error.code,
      message: error.message,
      timestamp: new Date(nowMs).toISOString(),
      requestPath: path.slice(gatewayPrefix.length),
      requestId: randomUUID(),
    },
  }
}

function statusText(status: number): string {
  return STATUS_CODES[status] ?? 'Unknown'
}
