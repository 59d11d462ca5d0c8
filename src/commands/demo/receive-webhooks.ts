import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Part } from '../service/stop-on-signal.ts'

/** The working one accepts every notification. The failing one answers 503, except for one notification in twelve hours. */
export type ReceiverUrls = { workingUrl: string; failingUrl: string }

/** The service disables a webhook after five days of failures. A notification that arrives now and then prevents that. */
const failsForMs = 12 * 3_600_000

/** Receives the notifications of the demo on this machine. */
export async function receiveWebhooks({ now = Date.now } = {}): Promise<Part & ReceiverUrls> {
  let acceptedAt = now()
  const acceptsAgain = () => {
    if (now() - acceptedAt < failsForMs) return false
    acceptedAt = now()
    return true
  }
  const server = createServer((request, response) => {
    request.resume()
    const isWorking = request.url === '/hotel-system' || acceptsAgain()
    response.writeHead(isWorking ? 204 : 503).end(isWorking ? undefined : failingReply)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    workingUrl: `${url}/hotel-system`,
    failingUrl: `${url}/door-signs`,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

export const failingReply = 'The door signs are being updated.\n'
