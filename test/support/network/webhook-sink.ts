import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { onFileEnd } from '../on-file-end.ts'

export type Received = { at: number; headers: IncomingHttpHeaders; body: string }

/** A status, optionally with headers and body, or no answer at all. */
export type SinkAnswer = number | 'hang' | 'reset' | { status: number; headers?: Record<string, string>; body?: string }

export type WebhookSink = {
  url: string
  received: Received[]
  /** Sets the answer to all later notifications, or a function that decides for each of them. */
  answerWith(answer: SinkAnswer | ((received: Received) => SinkAnswer)): void
}

/** Receives notifications and keeps them. `address` is in 127.0.0.0/8: sinks with different addresses are different hosts. */
export async function startWebhookSink(address = '127.0.0.1'): Promise<WebhookSink> {
  const received: Received[] = []
  let decide: (received: Received) => SinkAnswer = () => 204
  const server = createServer(async (request, response) => {
    const body = await textOf(request).catch(() => undefined)
    if (body === undefined) return // the connection was cut
    const one = { at: Date.now(), headers: request.headers, body }
    received.push(one)
    const answer = decide(one)
    if (answer === 'hang') return
    if (answer === 'reset') return void request.socket.resetAndDestroy()
    const { status, headers = {}, body: reply } = typeof answer === 'number' ? { status: answer } : answer
    response.writeHead(status, headers).end(reply)
  })
  server.listen(0, address)
  await once(server, 'listening')
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${address}:${port}/hook`,
    received,
    answerWith(answer) {
      decide = typeof answer === 'function' ? answer : () => answer
    },
  }
}
