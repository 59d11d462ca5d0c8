import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { originOf, registerPublicPage } from '../server/public-page.ts'
import { answerWithEtag } from '../v2/kit/etag.ts'
import type { Operation } from '../v2/kit/operation.ts'
import { referencePage, stylesheet } from './reference-page.ts'

/** The page may use its own stylesheet. Everything else (scripts, images, forms, frames) is forbidden. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(stylesheet).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Any cache may store the page. It varies by Host because it contains the origin. */
const caching = { 'cache-control': 'public, no-cache', vary: 'Host' }

/** GET /reference */
export function registerReference(app: FastifyInstance, operations: Operation[]): void {
  const pageFor = referencePage(operations)
  registerPublicPage(app, {
    url: '/reference',
    async render(request, reply) {
      reply.headers(headers)
      return answerWithEtag(request, reply, pageFor(originOf(request)), caching) ?? reply.send()
    },
  })
}
