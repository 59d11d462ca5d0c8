import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Requester } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import type { Authenticate } from '#domain/keys/key.ts'
import type { KeyUsage } from '#domain/keys/key-usage.ts'
import type { AuthenticatedKey } from '#domain/keys/keys.queries.ts'
import { type Limiter, type Verdict, windowSeconds } from '#limits/limiter.ts'

export type KeyContext = { authenticate: Authenticate; limiter: Limiter; keyUsage: KeyUsage }

/** The key as an actor of the domain. */
export function actorOf({ id, name, allSites, vouchersPerDay, longestMinutes }: AuthenticatedKey): Requester {
  return { kind: 'key', id, name, allSites, issuing: { vouchersPerDay, longestMinutes } }
}

/** The address of the client without its zone. If a proxy sends no valid address: the address of the proxy. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const texts = [ip, socket.remoteAddress].map((text) => text?.split('%', 1)[0] ?? '')
  return texts.find((text) => isIP(text) !== 0) ?? '::'
}

/** Authenticates the request by its API key and counts it towards the rate limit, before the body is read. */
export async function requireKey(
  ctx: KeyContext,
  request: FastifyRequest,
  reply: FastifyReply,
  siteId: number | null,
): Promise<AuthenticatedKey> {
  const key = await findPresentedKey(ctx, request, siteId)
  request.keyPrefix = key.prefix
  await countRequest(ctx, key, reply)
  return key
}

/** The key of the request, read now. Throws if it is missing, wrong, expired or revoked. */
export async function findPresentedKey(
  ctx: Pick<KeyContext, 'authenticate'>,
  request: FastifyRequest,
  siteId: number | null,
): Promise<AuthenticatedKey> {
  const presented = presentedKey(request)
  if (presented === undefined) throw new DomainError('unauthorized')
  const key = await ctx.authenticate(presented, siteId)
  if (!key) throw new DomainError('invalid_key')
  return key
}

/** Whether the request carries an API key, valid or not. */
export function hasKey(request: FastifyRequest): boolean {
  return presentedKey(request) !== undefined
}

function presentedKey(request: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S.*)$/i.exec(request.headers.authorization ?? '')?.[1]
  const header = request.headers['x-api-key']
  return bearer ?? ((Array.isArray(header) ? header.join() : header) || undefined)
}

async function countRequest(ctx: KeyContext, key: AuthenticatedKey, reply: FastifyReply): Promise<void> {
  if (key.rateLimit === 0) return ctx.keyUsage.count(key, true)
  const verdict = await ctx.limiter(key.id, key.rateLimit)
  ctx.keyUsage.count(key, verdict.allowed)
  applyLimit(reply, 'per-key', verdict)
}

/** Says what is left of the limit. Rejects the request if it is over the limit. */
export function applyLimit(reply: FastifyReply, policy: 'per-key' | 'per-person', verdict: Verdict): void {
  const { allowed, limit, remaining, resetSeconds } = verdict
  reply.headers({
    'ratelimit-policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  })
  if (allowed) return
  reply.header('retry-after', String(resetSeconds))
  throw new DomainError('rate_limited')
}

/**
 * Parses JSON, whatever the Content-Type says. Throws if the bytes are not valid UTF-8, not JSON, or contain half a
 * surrogate pair. A member `__proto__` is kept as an ordinary member, or dropped.
 */
export function readJson(bytes: Buffer, { dropsProto = false } = {}): unknown {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  return JSON.parse(text, (key, value) => {
    if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
      throw new SyntaxError('lone surrogate')
    return dropsProto && key === '__proto__' ? undefined : value
  })
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The Idempotency-Key of a request; undefined if it has none. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const header: unknown = headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    throw new DomainError('idempotency_key_invalid')
  return header
}

/**
 * The `Voucher-Outcome` of a creation that failed before its Idempotency-Key was looked up. With such a key the outcome is
 * unknown, because an earlier request with it may have created a voucher.
 */
export function outcomeBeforeCreating(headers: IncomingHttpHeaders): Record<string, string> {
  return { 'voucher-outcome': headers['idempotency-key'] === undefined ? 'none' : 'unknown' }
}
