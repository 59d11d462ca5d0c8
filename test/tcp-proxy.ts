import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onFileEnd } from './on-file-end.ts'

export type TcpProxy = { port: number; cut(): void; cutOnce(): void; hang(): void; heal(): void }

/** Stands between the service and one of its stores: passes everything on, cuts it, or lets it hang. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'hung' = 'open'
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (state === 'cut') return client.destroy()
    const upstream = connect(target.port, target.host)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => state === 'open' && to.write(chunk))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  onFileEnd(() => {
    cutAll()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut'
      cutAll()
    },
    /** What is open breaks; what comes next passes. */
    cutOnce: cutAll,
    hang() {
      state = 'hung'
    },
    heal() {
      if (state === 'hung') cutAll()
      state = 'open'
    },
  }
}
