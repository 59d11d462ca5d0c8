import { createServer as createHttpServer, request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { onFileEnd } from '../on-file-end.ts'
import { listen } from './sockets.ts'

export type TcpProxy = {
  port: number
  /** The number of connections accepted so far. */
  accepted(): number
  cut(): void
  cutOnce(): void
  hang(): void
  /** Drops what the server sends. Connections opened before `heal` stay open and silent; later ones work. */
  halfOpen(): void
  heal(): void
  /** Connections that are opened from now on lead to this port of the same host. */
  leadTo(port: number): void
}

/** A proxy between the service and one of its stores. It forwards everything, cuts connections or lets them hang. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'hung' | 'half-open' = 'open'
  let { port: targetPort } = target
  const sockets = new Set<Socket>()
  const upstreams = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let accepted = 0
  const server = createServer((client) => {
    accepted += 1
    if (state === 'cut') return client.destroy()
    const upstream = connect(targetPort, target.host)
    upstreams.add(upstream)
    if (state === 'half-open') silent.add(upstream)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => passes(from) && to.write(chunk))
      from.on('error', () => silent.has(from) || to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        upstreams.delete(from)
        if (!silent.has(from)) to.destroy()
      })
    }
  })
  const passes = (from: Socket) => (state === 'open' || state === 'half-open') && !silent.has(from)
  const port = await listen(server)
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  onFileEnd(cutAll)
  return {
    port,
    accepted: () => accepted,
    cut() {
      state = 'cut'
      cutAll()
    },
    /** Cuts all open connections. Later connections work. */
    cutOnce: cutAll,
    hang() {
      state = 'hung'
    },
    halfOpen() {
      state = 'half-open'
      for (const upstream of upstreams) silent.add(upstream)
    },
    heal() {
      if (state === 'hung') cutAll()
      state = 'open'
    },
    leadTo(port) {
      targetPort = port
    },
  }
}

/** A reverse proxy that sets the `Date` of every reply by its own clock, as a cloud connector does. */
export async function startDateProxy(target: string, aheadMs: number): Promise<{ url: string }> {
  const server = createHttpServer((incoming, outgoing) => {
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
  return { url: `http://127.0.0.1:${await listen(server)}` }
}
