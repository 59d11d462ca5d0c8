import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { onFileEnd } from './on-file-end.ts'

export type Listener = { port: number; connections: number }

/** Counts who connects, and hangs up. On all addresses of this machine, unless one is named. */
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
