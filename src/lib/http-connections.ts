import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from './log.ts'

export type Connections = {
  /** Runs `then` after all complete requests of this connection are answered; at once if the last one is still arriving. */
  whenAnswered(socket: Socket, then: () => void): void
  /** Closes connections that were idle for this long, including those that never sent a request. */
  closeIdle(idleMs: number): void
}

/**
 * Limits for clients that do not read their answers. If client and service are on the same machine, the kernel buffers 4 MB of an
 * answer. It then reports progress in steps of 1.4 MB, so a client that reads 50 kB/s seems to stop for almost 30 seconds.
 */
const usualLimits = {
  /** Unanswered requests of one connection. Browsers, proxies and HTTP libraries have one. */
  requestsPerConnection: 16,
  /** A connection is ended if its client takes nothing of an answer for this long. */
  stalledMs: 30_000,
  /** Unread bytes of all connections. Above it, connections that took nothing for `stalledWhenFullMs` are ended. */
  unreadBytes: 64 * 1024 * 1024,
  stalledWhenFullMs: 5_000,
  checkEveryMs: 1_000,
}

type Connection = {
  waiting: Set<ServerResponse>
  idleSince: number
  /** How much of its answers the client has taken, and when this last changed or nothing was left to take. */
  taken: string
  takenAt: number
}

/** Tracks the open connections, because Node does not expose them, and ends those whose clients do not read. */
export function trackConnections(server: Server, log: Log, limits = usualLimits): Connections {
  const connections = new Map<Socket, Connection>()

  server.on('connection', (socket: Socket) => {
    const now = performance.now()
    connections.set(socket, { waiting: new Set(), idleSince: now, taken: '', takenAt: now })
    socket.on('close', () => connections.delete(socket))
  })
  // Before the listener that answers, so that it finds the connection ended.
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket)
    if (!connection || socket.destroyed) return
    connection.waiting.add(response)
    response.on('close', () => {
      connection.waiting.delete(response)
      connection.idleSince = performance.now()
    })
    if (connection.waiting.size > limits.requestsPerConnection) end(socket, 'too many requests at once')
  })

  function end(socket: Socket, reason: string): void {
    log.info({ reason }, 'ended a connection')
    socket.resetAndDestroy() // so that the kernel drops unsent bytes too
  }

  function endUnread(): void {
    const now = performance.now()
    const unread = [...connections].map(([socket, connection]) => {
      const bytes = unreadBytesOf(connection)
      const taken = bytes === 0 ? '' : takenBy(socket)
      if (bytes === 0 || taken !== connection.taken) Object.assign(connection, { taken, takenAt: now })
      return { socket, bytes, stalledMs: now - connection.takenAt }
    })
    let total = unread.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { socket, bytes, stalledMs } of unread.toSorted((a, b) => b.stalledMs - a.stalledMs)) {
      const allowedMs = total > limits.unreadBytes ? limits.stalledWhenFullMs : limits.stalledMs
      if (stalledMs < allowedMs) break
      end(socket, 'its client does not read')
      total -= bytes
    }
  }

  const checking = setInterval(endUnread, limits.checkEveryMs).unref()
  server.on('close', () => clearInterval(checking))

  return {
    whenAnswered(socket, then) {
      const last = [...(connections.get(socket)?.waiting ?? [])].at(-1)
      if (last?.req.complete) last.on('close', then)
      else then()
    },
    closeIdle(idleMs) {
      for (const [socket, { waiting, idleSince }] of connections)
        if (waiting.size === 0 && performance.now() - idleSince >= idleMs) socket.destroy()
    },
  }
}

/** Bytes of answers that this process still holds. A stream that waits for its source has none. */
function unreadBytesOf({ waiting }: Connection): number {
  let bytes = 0
  for (const response of waiting) bytes += response.writableLength
  return bytes
}

type WithHandle = { _handle?: { writeQueueSize?: number } | null }

/**
 * Changes whenever the kernel takes a byte. The public counters change only when a whole write is done, which takes a slow
 * reader of a large answer minutes. Node's own timeout of a socket reads the same private field.
 */
function takenBy(socket: Socket): string {
  const { _handle: handle } = socket as WithHandle
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize}`
}
