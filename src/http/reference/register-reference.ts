import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { registerPublicPage } from '../server/public-page.ts'
import { staticAnswerOnDemand } from '../server/static-answer.ts'
import type { Operation } from '../v2/kit/operation.ts'
import { htmlHeaders } from './html.ts'
import { referencePage, stylesheet } from './reference-page.ts'

/**
 * GET /reference. The page names the public address of the service. It does not depend on the Host of the request, so that it
 * is rendered and compressed only once.
 */
export function registerReference(app: FastifyInstance, operations: Operation[], publicUrl: string | undefined): void {
  const ownUrl = () => `http://localhost:${(app.server.address() as AddressInfo).port}`
  const render = () => referencePage(operations, publicUrl ?? ownUrl())
  const answer = staticAnswerOnDemand(render, { ...htmlHeaders(stylesheet), 'cache-control': 'public, no-cache' })
  registerPublicPage(app, { url: '/reference', render: answer })
}
