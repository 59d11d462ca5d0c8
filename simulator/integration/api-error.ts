import { randomUUID } from 'node:crypto'
import { type Reply, statusName } from '../http/reply.ts'

type Details = { status: number; code?: string; message: string; headers?: Record<string, string> }

/** An error that a handler throws. `applicationError` turns it into a reply. */
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

/** The request behind an error. `requestPath` is the path behind the gateway, as the application sees it. */
export type Origin = { requestPath: string; nowMs: number; version: string }

/** An error in the envelope of the application, which had no `code` before Network 10. */
export function applicationError(error: ApiError, { requestPath, nowMs, version }: Origin): Reply {
  return {
    status: error.status,
    headers: error.headers,
    json: {
      statusCode: error.status,
      statusName: statusName(error.status),
      code: Number.parseInt(version, 10) < 10 ? undefined : error.code,
      message: error.message,
      timestamp: new Date(nowMs).toISOString(),
      requestPath,
      requestId: randomUUID(),
    },
  }
}
