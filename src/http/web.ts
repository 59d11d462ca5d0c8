import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createFirstPage, type FirstPageContext } from './first-page.ts'
import { registerHouse } from './house.ts'
import { registerPublicPage } from './server/public-page.ts'
import { type StaticContent, staticAnswer } from './server/static-answer.ts'

/** The folder of the bundle that `npm run build:web` makes. */
export const builtWeb = fileURLToPath(new URL('../../dist/web', import.meta.url))

/** Paths of the web app; `web/src/router.tsx` has the same list. */
export const webPaths = [
  '/desk',
  '/vouchers',
  '/overview',
  '/sites',
  '/sites/add',
  '/sites/:siteId',
  '/sites/controllers/:controllerId',
  '/keys',
  '/webhooks',
  '/audit',
  '/settings',
  '/sign-in',
  '/first-run',
  '/password',
  '/forgotten-password',
  '/me',
]

export type WebApp = {
  /** The address of the script with which the page starts. It changes with every change of the web app. */
  script: string | undefined
  /** Answers with the page of the web app for this browser. */
  answerPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

/**
 * Serves the web app from a folder, and returns undefined if nothing was built there. The files are read once, so a request can
 * never name another file.
 */
export function registerWeb(app: FastifyInstance, ctx: FirstPageContext, folder: string): WebApp | undefined {
  // A folder of an earlier version has no first pages: it counts as not built.
  if (!['index.html', 'first-pages.json'].every((name) => existsSync(join(folder, name)))) return undefined
  const render = createFirstPage(ctx, folder)
  const answerPage: WebApp['answerPage'] = async (request, reply) =>
    reply.headers(pageHeaders).send(await render(request, reply))
  for (const url of webPaths) registerPublicPage(app, { url, render: answerPage })
  for (const name of filesIn(folder)) {
    const answer = answerWithFile(folder, name, { ...safeHeaders, 'cache-control': 'public, no-cache' })
    registerPublicPage(app, { url: `/${name}`, render: async (...args) => answer(...args) })
  }
  registerAssets(app, join(folder, 'assets'))
  registerHouse(app, ctx)
  const [, script] =
    readFileSync(join(folder, 'index.html'), 'utf8').match(/<script type="module"[^>]* src="([^"]+)"/) ?? []
  return { script, answerPage }
}

/** Files whose names change with their contents. All of them have one route: a hundred routes took a tenth of each start. */
function registerAssets(app: FastifyInstance, folder: string): void {
  const headers = { ...safeHeaders, 'cache-control': 'public, max-age=31536000, immutable' }
  const answers = new Map(filesIn(folder).map((name) => [name, answerWithFile(folder, name, headers)]))
  registerPublicPage(app, {
    url: '/assets/:name',
    async render(request, reply) {
      const answer = answers.get((request.params as { name: string }).name)
      return answer ? answer(request, reply) : reply.callNotFound()
    },
  })
}

function filesIn(folder: string): string[] {
  return globSync('*.*', { cwd: folder }).filter((name) => contentTypes[extname(name)] !== undefined)
}

/** True if a browser asks for a path that belongs to neither API, so that a page is a better answer than JSON. */
export function asksForPage({ method, url, headers }: FastifyRequest, basePath: string): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  const isOfApi = url.startsWith(`${basePath}/`) || /^\/api(?![^/?])/.test(url)
  return isRead && !isOfApi && /\btext\/html\b/i.test(headers.accept ?? '')
}

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

const safeHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }

/** Mantine writes style elements, hence 'unsafe-inline' for styles. Scripts come from this service only. */
const pageHeaders = {
  ...safeHeaders,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store', // the page has the name of the person
  vary: 'Accept, Accept-Language, Cookie', // programs get JSON at `/`
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
  ].join('; '),
}

function answerWithFile(folder: string, name: string, headers: Record<string, string>) {
  return staticAnswer(readWebFile(folder, name), { ...headers, 'content-type': contentTypes[extname(name)] as string })
}

/** Reads a file and the compressed copies that the build made. */
function readWebFile(folder: string, name: string): StaticContent {
  const path = join(folder, name)
  const copies = [
    { encoding: 'br', path: `${path}.br` },
    { encoding: 'gzip', path: `${path}.gz` },
  ].filter((copy) => existsSync(copy.path))
  return {
    body: readFileSync(path),
    compressed: copies.map((copy) => ({ encoding: copy.encoding, body: readFileSync(copy.path) })),
  }
}
