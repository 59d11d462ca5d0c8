import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

const privateCaching = { 'cache-control': 'private, no-cache', vary: 'Authorization, X-API-Key' }

/** Browsers must not store what a person sees, such as the Wi-Fi password: several people share the computer at the desk. */
const noCaching = { 'cache-control': 'no-store' }

/** Adds an ETag, and answers 304 if the client already has this content. Only a program may store it. */
export function answerWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string | Buffer,
): string | Buffer | null {
  const etag = etagOf(payload)
  reply.headers({ etag, ...(request.headers.cookie === undefined ? privateCaching : noCaching) })
  if (!matchesEtag(request.headers['if-none-match'], etag)) return payload
  reply.code(304).removeHeader('content-type')
  return null // an empty text would add `Content-Length: 0`
}

/** ETags of answers that are sent several times from memory. */
const knownEtags = new WeakMap<Buffer, string>()

function etagOf(payload: string | Buffer): string {
  const known = typeof payload === 'string' ? undefined : knownEtags.get(payload)
  if (known !== undefined) return known
  const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 27)}"`
  if (typeof payload !== 'string') knownEtags.set(payload, etag)
  return etag
}

/** Whether an `If-None-Match` names this tag. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
