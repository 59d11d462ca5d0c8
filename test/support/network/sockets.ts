import { once } from 'node:events'
import { Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { onFileEnd } from '../on-file-end.ts'

export type RawAnswer = { text: string; statuses: number[]; body: string; closedAfterMs: number }

/** Sends bytes unchanged. Returns what the server sent until it closed the connection or, after its first byte, sent nothing for `silenceMs`. */
export function exchange(url: string, bytes: string | Buffer, silenceMs = 300): Promise<RawAnswer> {
  const begin = performance.now()
  return new Promise((resolve) => {
    const socket = openSocket(url)
    let text = ''
    const finish = () => {
      socket.destroy()
      resolve({
        text,
        statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1])),
        body: text.slice(text.indexOf('\r\n\r\n') + 4),
        closedAfterMs: performance.now() - begin,
      })
    }
    socket.setTimeout(Math.max(silenceMs, 60_000), finish) // on a busy machine, the first byte may take long
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8')
      socket.setTimeout(silenceMs)
    })
    socket.on('error', finish)
    socket.on('close', finish)
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  })
}

export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname)
}

/** Lets a server listen on a free port of this machine until the end of the file. Returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  onFileEnd(() => {
    if (server instanceof HttpServer) server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export type Listener = { port: number; connections: number }

/** Counts connections and closes them at once. Listens on all addresses of this machine, unless one is given. */
export async function startListener(at: { address?: string; port?: number } = {}): Promise<Listener> {
  const server = createServer((socket) => {
    listener.connections++
    socket.destroy()
  })
  server.listen(at.port ?? 0, at.address)
  await once(server, 'listening')
  onFileEnd(() => server.close())
  const listener = { port: (server.address() as AddressInfo).port, connections: 0 }
  return listener
}
