import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

const privateCaching = { 'cache-control': 'private, no-cache', vary: 'Authorization, X-API-Key' }

/** Adds an ETag, and answers 304 if the client already has this content. By default only the client itself may store it. */
export function answerWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string,
  caching: Record<string, string> = privateCaching,
): string | null {
  const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 27)}"`
  reply.headers({ etag, ...caching })
  if (!matches(request.headers['if-none-match'], etag)) return payload
  reply.code(304).removeHeader('content-type')
  return null // an empty text would add `Content-Length: 0`
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
