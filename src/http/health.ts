import type { FastifyInstance } from 'fastify'

export type Health = {
  /** What keeps this process from serving; undefined when nothing does. */
  notReadyBecause(): Promise<string | undefined>
}

/** `/healthz`: the process lives. `/readyz`: requests may be sent to it. */
export function registerHealth(app: FastifyInstance, health: Health): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const reason = await health.notReadyBecause()
    if (reason === undefined) return { status: 'ready' }
    return reply.code(503).send({ status: 'not_ready', reason })
  })
}
