import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import type { Authenticate } from '#domain/keys/authenticate.ts'
import type { KeyUsage } from '#domain/keys/key-usage.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { type Limiter, windowSeconds } from '#limits/limiter.ts'

export type KeyContext = { authenticate: Authenticate; limiter: Limiter; keyUsage: KeyUsage }

/** The key of this request, counted in its limit. Runs before a byte of the body is read. */
export async function requireKey(
  ctx: KeyContext,
  request: FastifyRequest,
  reply: FastifyReply,
  siteId: number | null,
): Promise<KeyAtWork> {
  const presented = presentedKey(request)
  if (presented === undefined) throw new DomainError('unauthorized')
  const key = await ctx.authenticate(presented, siteId)
  if (!key) throw new DomainError('invalid_key')
  request.keyPrefix = key.prefix
  await countRequest(ctx, key, reply)
  return key
}

function presentedKey(request: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S.*)$/i.exec(request.headers.authorization ?? '')?.[1]
  const header = request.headers['x-api-key']
  return bearer ?? ((Array.isArray(header) ? header.join() : header) || undefined)
}

async function countRequest(ctx: KeyContext, key: KeyAtWork, reply: FastifyReply): Promise<void> {
  if (key.rateLimit === 0) return ctx.keyUsage.count(key.id, true)
  const { allowed, limit, remaining, resetSeconds } = await ctx.limiter(key.id, key.rateLimit)
  ctx.keyUsage.count(key.id, allowed)
  reply.headers({
    'ratelimit-policy': `"per-key";q=${limit};w=${windowSeconds}`,
    ratelimit: `"per-key";r=${remaining};t=${resetSeconds}`,
  })
  if (allowed) return
  reply.header('retry-after', String(resetSeconds))
  throw new DomainError('rate_limited')
}
