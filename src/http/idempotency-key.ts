import type { IncomingHttpHeaders } from 'node:http'
import { DomainError } from '#domain/errors.ts'

/** What a client sends again when it repeats a request; undefined when it sends none. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const header: unknown = headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    throw new DomainError('idempotency_key_invalid')
  return header
}

/** Until an Idempotency-Key was looked up, nobody knows what an earlier attempt with it has made. */
export function outcomeBeforeCreating(headers: IncomingHttpHeaders): Record<string, string> {
  return { 'voucher-outcome': headers['idempotency-key'] === undefined ? 'none' : 'unknown' }
}
