import type { FastifyInstance } from 'fastify'

/**
 * The body of `/readyz`. A ready process accepts requests. `writes` is set while the database rejects writes or the service is
 * held.
 */
export type Readiness =
  | { status: 'ready' }
  | { status: 'ready'; writes: 'refused'; reason: string }
  | { status: 'not_ready'; reason: string }

export type Health = { readiness(): Promise<Readiness> }

/** `/healthz` says that the process runs. `/readyz` says whether a load balancer may send requests to it. */
export function registerHealth(app: FastifyInstance, health: Health): void {
  const method = ['GET', 'HEAD']
  app.route({ method, url: '/healthz', handler: async () => ({ status: 'ok' }) })
  app.route({
    method,
    url: '/readyz',
    handler: async (_request, reply) => {
      const readiness = await health.readiness()
      return reply.code(readiness.status === 'ready' ? 200 : 503).send(readiness)
    },
  })
}
