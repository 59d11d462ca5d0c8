import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

const forItself = { 'cache-control': 'private, no-cache', vary: 'Authorization, X-API-Key' }

/** A client may keep what it read, for itself unless told otherwise, and ask each time whether it still holds. */
export function answerWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string,
  caching: Record<string, string> = forItself,
): string | null {
  const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 27)}"`
  reply.headers({ etag, ...caching })
  if (!isKnown(request.headers['if-none-match'], etag)) return payload
  reply.code(304).removeHeader('content-type')
  return null // with an empty text the answer would claim a Content-Length of 0
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}
