import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onFileEnd } from './on-file-end.ts'

type Received = { at: number; headers: IncomingHttpHeaders; body: string }

export type WebhookSink = { url: string; received: Received[]; answerWith(status: number): void }

/** Takes notifications and remembers them. */
export async function startWebhookSink(): Promise<WebhookSink> {
  const received: Received[] = []
  let status = 204
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ at: Date.now(), headers: request.headers, body })
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, received, answerWith: (next) => { status = next } } // biome-ignore format: short
}
