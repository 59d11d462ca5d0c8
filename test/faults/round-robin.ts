import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onFileEnd } from '#test/on-file-end.ts'

/** A small reverse proxy. It checks which backends are ready and sends each request to the next of these. */
export async function startRoundRobin(backends: string[]): Promise<{ url: string }> {
  const ready = new Set(backends)
  let turn = 0
  const watch = setInterval(() => {
    for (const backend of backends) {
      request(`${backend}/readyz`, { agent: false, timeout: 5_000 }, (answer) => {
        answer.resume()
        if (answer.statusCode === 200) ready.add(backend)
        else ready.delete(backend)
      })
        .on('error', () => ready.delete(backend))
        .end()
    }
  }, 100)
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('end', () => pass(backends.length))
    function pass(tries: number): void {
      const able = [...ready]
      const backend = able[turn++ % Math.max(1, able.length)]
      if (!backend) return void outgoing.writeHead(502).end('nobody is ready')
      const { method, headers, url } = incoming
      const call = request(`${backend}${url}`, { method, headers, agent: false }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      call.on('error', (error: NodeJS.ErrnoException) => {
        ready.delete(backend)
        // After ECONNREFUSED, nothing was sent. After any other error, the request may have been carried out.
        if (error.code === 'ECONNREFUSED' && tries > 1) pass(tries - 1)
        else outgoing.writeHead(502).end(error.code)
      })
      call.end(Buffer.concat(chunks))
    }
  })
  // A connection that closes while the next request is on its way would look like a failure of the service.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileEnd(() => {
    clearInterval(watch)
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
