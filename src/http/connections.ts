import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Connections = {
  /** Runs when nothing that arrived whole waits for its answer any more; at once if the last request is still arriving. */
  whenAnswered(socket: Socket, then: () => void): void
  /** Ends connections on which nothing was under way for so long, also those that never said a word. */
  closeIdle(sinceMs: number): void
}

/** Which connections are open and which of them wait for an answer: Node tells neither. */
export function trackConnections(server: Server): Connections {
  const waiting = new Map<Socket, Set<ServerResponse>>()
  const idleSince = new WeakMap<Socket, number>()

  server.on('connection', (socket: Socket) => {
    waiting.set(socket, new Set())
    idleSince.set(socket, performance.now())
    socket.on('close', () => waiting.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    waiting.get(socket)?.add(response)
    response.on('close', () => {
      waiting.get(socket)?.delete(response)
      idleSince.set(socket, performance.now())
    })
  })

  return {
    whenAnswered(socket, then) {
      const last = [...(waiting.get(socket) ?? [])].at(-1)
      if (last?.req.complete) last.on('close', then)
      else then()
    },
    closeIdle(sinceMs) {
      for (const [socket, responses] of waiting)
        if (responses.size === 0 && performance.now() - (idleSince.get(socket) ?? 0) >= sinceMs) socket.destroy()
    },
  }
}
