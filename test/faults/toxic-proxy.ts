import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onFileEnd } from '#test/on-file-end.ts'

/** A fault of a connection. */
export type Toxic =
  | { kind: 'latency'; ms: number }
  | { kind: 'bandwidth'; bytesPerSecond: number }
  | { kind: 'slicer'; bytes: number }
  | { kind: 'limit'; bytes: number }
  | { kind: 'hang' }
  | { kind: 'half-open' }
  | { kind: 'down' }

export type ToxicProxy = {
  port: number
  /** Connections that exist during `half-open` stay open and silent, even after `heal`. */
  set(toxic: Toxic): void
  /** Cuts all open connections, once. */
  reset(): void
  heal(): void
}

/** Forwards all connections to the port `target`, with the fault that is set. */
export async function startToxicProxy(target: number): Promise<ToxicProxy> {
  let toxic: Toxic | undefined
  const sockets = new Set<Socket>()
  const upstreams = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  const server = createServer((client) => {
    if (toxic?.kind === 'down') return client.resetAndDestroy()
    const upstream = connect(target, '127.0.0.1')
    upstreams.add(upstream)
    if (toxic?.kind === 'half-open') silent.add(upstream)
    join(client, upstream)
    join(upstream, client)
  })

  function join(from: Socket, to: Socket): void {
    let passed = 0
    let turn: Promise<void> = Promise.resolve()
    sockets.add(from)
    from.on('data', (chunk) => {
      if (silent.has(from)) return
      turn = turn.then(async () => {
        passed += chunk.length
        await pass(chunk, to, passed)
      })
    })
    from.on('end', () => void turn.then(() => silent.has(from) || to.end()))
    from.on('error', () => silent.has(from) || to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      upstreams.delete(from)
      void turn.then(() => silent.has(from) || to.destroy())
    })
  }

  async function pass(chunk: Buffer, to: Socket, passed: number): Promise<void> {
    const active = toxic
    switch (active?.kind) {
      case 'hang':
        return
      case 'latency':
        await rest(active.ms)
        break
      case 'bandwidth':
        await rest((chunk.length / active.bytesPerSecond) * 1_000)
        break
      case 'limit':
        if (passed > active.bytes) return void to.resetAndDestroy()
        break
      case 'slicer':
        for (let i = 0; i < chunk.length; i += active.bytes) {
          to.write(chunk.subarray(i, i + active.bytes))
          await rest(1)
        }
        return
    }
    to.write(chunk)
  }

  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileEnd(() => {
    reset()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      toxic = next
      if (next.kind === 'down') reset()
      if (next.kind === 'half-open') for (const upstream of upstreams) silent.add(upstream)
    },
    reset,
    heal() {
      // Bytes that were dropped during `hang` never arrive, so both sides must see a cut connection.
      if (toxic?.kind === 'hang') reset()
      toxic = undefined
    },
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
