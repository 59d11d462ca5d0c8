import { randomUUID } from 'node:crypto'
import type { Reply } from '../http/reply.ts'
import { statusName } from '../http/status-name.ts'

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

/** The path as the application sees it, behind its gateway; when it was asked for; and the application's version. */
export type Origin = { requestPath: string; nowMs: number; version: string }

/** Before Network 10 there was no `code`. */
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
