import { fileTypesOf } from './files/file-answer.ts'
import type { Operation } from './operation.ts'

/** Response headers that the document describes. Every operation refers to those that its answers can have. */
export const headers = {
  'X-Request-Id': header('Identifies the request in the log of the service.', { type: 'string', format: 'uuid' }),
  'RateLimit-Policy': header(
    'The limit of the key or person: q requests in a window of w seconds. Absent if the key has no limit.',
    { type: 'string', examples: ['"per-key";q=600;w=60'] },
  ),
  RateLimit: header(
    'What is left of the limit: r requests, and t seconds until the window ends. Absent if the key has no limit.',
    { type: 'string', examples: ['"per-key";r=598;t=42'] },
  ),
  'Retry-After': header('Wait this many seconds before you send the request again.', { type: 'integer', minimum: 0 }),
  ETag: header('Send it in If-None-Match to get a 304 while nothing has changed.', { type: 'string' }),
  'Idempotent-Replayed': header(
    'true if the Idempotency-Key was used before and this is the first result again. Absent otherwise.',
    { type: 'string', enum: ['true'] },
  ),
  'Voucher-Outcome': header(
    'none: no voucher was created. unknown: there may be one; repeat the request with the same Idempotency-Key.',
    { type: 'string', enum: ['none', 'unknown'] },
  ),
  'WWW-Authenticate': header('Says which key or scope is needed.', { type: 'string' }),
  'Content-Disposition': header('attachment with the name of the file, or inline for an image.', { type: 'string' }),
  'Content-Language': header('The language of the message.', { type: 'string', enum: ['en', 'de'] }),
}

type HeaderName = keyof typeof headers

function header(description: string, schema: object) {
  return { description, schema }
}

/** The headers that an answer of this operation with this status can have. */
export function headersOf(operation: Operation, status: number): Record<string, { $ref: string }> {
  const names: HeaderName[] = ['X-Request-Id']
  if (status !== 401) names.push('RateLimit-Policy', 'RateLimit')
  names.push(...(status < 400 ? headersOfSuccess(operation, status) : headersOfFailure(operation, status)))
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** A CSV file has none, because its first bytes are sent before the last ones are read. */
export function hasEtag({ method, csvFileName }: Operation): boolean {
  return method === 'GET' && csvFileName === undefined
}

function headersOfSuccess(operation: Operation, status: number): HeaderName[] {
  const { csvFileName, acceptsIdempotencyKey } = operation
  const isFile = csvFileName !== undefined || fileTypesOf(operation) !== undefined
  return [
    ...(hasEtag(operation) ? (['ETag'] as const) : []),
    ...(isFile && status === 200 ? (['Content-Disposition'] as const) : []),
    ...(acceptsIdempotencyKey ? (['Idempotent-Replayed'] as const) : []),
  ]
}

const withRetryAfter = [409, 429, 500, 503]

function headersOfFailure({ failureHeaders }: Operation, status: number): HeaderName[] {
  return [
    'Content-Language',
    ...(failureHeaders ? (['Voucher-Outcome'] as const) : []),
    ...(withRetryAfter.includes(status) ? (['Retry-After'] as const) : []),
    ...(status === 401 || status === 403 ? (['WWW-Authenticate'] as const) : []),
  ]
}
