import type { FastifyInstance } from 'fastify'
import { originOf, registerPublicPage } from '../server/public-page.ts'
import { answerWithEtag } from '../v2/kit/etag.ts'
import type { Operation } from '../v2/kit/operation.ts'
import { htmlHeaders } from './html.ts'
import { referencePage, stylesheet } from './reference-page.ts'

const headers = htmlHeaders(stylesheet)

/** Any cache may store the page. It varies by Host because it contains the origin. */
const caching = { 'cache-control': 'public, no-cache', vary: 'Host' }

/** GET /reference. The first request makes the page, because making it earlier would delay each start. */
export function registerReference(app: FastifyInstance, operations: Operation[]): void {
  let pageFor: ReturnType<typeof referencePage> | undefined
  registerPublicPage(app, {
    url: '/reference',
    async render(request, reply) {
      pageFor ??= referencePage(operations)
      reply.headers(headers)
      return answerWithEtag(request, reply, pageFor(originOf(request)), caching) ?? reply.send()
    },
  })
}
