import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Health } from './health.ts'
import { createServer, requestTimeoutMs, type ServerContext } from './server.ts'

export type RunningServer = { port: number; stop(): Promise<void> }

/**
 * Listens. On stop it says that it is not ready and goes on for a moment, so that a proxy in front can notice; then it
 * takes nothing new, and returns when all that was under way is answered.
 */
export async function serve(
  ctx: Omit<ServerContext, 'health'>,
  options: { port: number; address: string; health: Health; drainMs?: number },
): Promise<RunningServer> {
  let stopping = false
  const { app, connections } = createServer({
    ...ctx,
    health: {
      readiness: async () => (stopping ? { status: 'not_ready', reason: 'stopping' } : options.health.readiness()),
    },
  })
  // A connection that is kept open after its answer would keep the process open as well.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close')
    done(null, payload)
  })
  const listenTextResolver = (url: string) => `api is listening on ${url}`
  await app.listen({ port: options.port, host: options.address, listenTextResolver })
  return {
    port: (app.server.address() as AddressInfo).port,
    async stop() {
      stopping = true
      const { drainMs = 0 } = options
      await pause(drainMs)
      // A connection that is new may carry a request that was not read yet: it is left open as long as the drain took.
      const idle = setInterval(() => connections.closeIdle(drainMs), 50)
      const tooSlow = setTimeout(() => app.server.closeAllConnections(), requestTimeoutMs)
      await app.close()
      clearInterval(idle)
      clearTimeout(tooSlow)
    },
  }
}
