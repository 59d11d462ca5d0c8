import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { trackConnections } from '#lib/http-connections.ts'
import type { Log } from '#lib/log.ts'
import type { Metrics } from './metrics.ts'

type Options = { port: number; address: string; log: Log }

/** Serves `/metrics` on a port of its own, which has no authentication: by default only this machine can reach it. */
export async function serveMetrics(
  metrics: Pick<Metrics, 'render' | 'contentType'>,
  { port, address, log }: Options,
): Promise<{ port: number; stop(): Promise<void> }> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.socket.destroyed) return // one of too many requests at once
    const path = request.url?.split('?', 1)[0]
    if (path !== '/metrics') return reply(response, 404, 'The metrics are at /metrics.\n')
    if (request.method !== 'GET' && request.method !== 'HEAD') return reply(response, 405, 'Use GET.\n')
    try {
      reply(response, 200, await metrics.render(), metrics.contentType)
    } catch (err) {
      log.error({ err }, 'the metrics could not be rendered')
      reply(response, 500, 'The metrics could not be rendered; see the log.\n')
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  trackConnections(server, log)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: address }, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  log.info({ address, port: bound }, 'metrics are served')
  return {
    port: bound,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function reply(response: ServerResponse, status: number, text: string, contentType = 'text/plain; charset=utf-8') {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text)
}
