import type { FastifyInstance } from 'fastify'

/** The body of `/readyz`. A process that is ready can take requests; while writes are refused, it can only answer reads. */
export type Readiness =
  | { status: 'ready' }
  | { status: 'ready'; writes: 'refused'; reason: string }
  | { status: 'not_ready'; reason: string }

export type Health = { readiness(): Promise<Readiness> }

/** `/healthz`: the process lives. `/readyz`: requests may be sent to it. */
export function registerHealth(app: FastifyInstance, health: Health): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const readiness = await health.readiness()
    return reply.code(readiness.status === 'ready' ? 200 : 503).send(readiness)
  })
}
