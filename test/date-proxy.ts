import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onFileEnd } from './on-file-end.ts'

/** A reverse proxy that sets the `Date` of every reply by its own clock, as a cloud connector does. */
export async function startDateProxy(target: string, aheadMs: number): Promise<{ url: string }> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    const call = request(`${target}${url}`, { method, headers }, (answer) => {
      const date = new Date(Date.now() + aheadMs).toUTCString()
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, date })
      answer.on('error', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    call.on('error', () => incoming.socket.destroy())
    incoming.pipe(call)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
