import type { AddressInfo } from 'node:net'
import type { Health } from './health.ts'
import { createServer, requestTimeoutMs, type ServerContext } from './server.ts'

export type RunningServer = { port: number; stop(): Promise<void> }

/** Listens, and on stop answers what is under way before it returns. */
export async function serve(
  ctx: Omit<ServerContext, 'health'>,
  options: { port: number; address: string; health: Health },
): Promise<RunningServer> {
  let stopping = false
  const { app, connections } = createServer({
    ...ctx,
    health: { notReadyBecause: async () => (stopping ? 'stopping' : options.health.notReadyBecause()) },
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
      connections.closeIdle()
      const tooSlow = setTimeout(() => app.server.closeAllConnections(), requestTimeoutMs)
      await app.close()
      clearTimeout(tooSlow)
    },
  }
}
