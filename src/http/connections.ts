import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Connections = {
  /** Runs when nothing that arrived whole waits for its answer any more; at once if the last request is still arriving. */
  whenAnswered(socket: Socket, then: () => void): void
  /** Ends every connection on which nothing is under way, also those that never said a word. */
  closeIdle(): void
}

/** Which connections are open and which of them wait for an answer: Node tells neither. */
export function trackConnections(server: Server): Connections {
  const waiting = new Map<Socket, Set<ServerResponse>>()

  server.on('connection', (socket: Socket) => {
    waiting.set(socket, new Set())
    socket.on('close', () => waiting.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    waiting.get(socket)?.add(response)
    response.on('close', () => waiting.get(socket)?.delete(response))
  })

  return {
    whenAnswered(socket, then) {
      const last = [...(waiting.get(socket) ?? [])].at(-1)
      if (last?.req.complete) last.on('close', then)
      else then()
    },
    closeIdle() {
      for (const [socket, responses] of waiting) if (responses.size === 0) socket.destroy()
    },
  }
}
