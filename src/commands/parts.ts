import { type RunningServer, serve } from '#http/serve.ts'
import { startWorker } from '#worker/worker.ts'
import type { Context } from '../context.ts'
import { createHealth } from './health.ts'
import type { Part } from './stop-on-signal.ts'

export async function startApi(ctx: Context): Promise<RunningServer> {
  const { port, listenAddress: address, basePath, trustedProxies, listCacheMiB, drainSeconds } = ctx.config
  return serve(
    { ...ctx, basePath, trustedProxies, listCacheMiB },
    { port, address, health: createHealth(ctx), drainMs: drainSeconds * 1000 },
  )
}

/** Starts the worker. Calls `fail` when jobs can no longer be fetched, because only a new process can help then. */
export async function startWork(ctx: Context, fail: () => void): Promise<Part> {
  const worker = await startWorker(ctx)
  ctx.queueWatch.start((queues) => {
    ctx.log.error(
      { queues },
      'no jobs could be fetched for a minute although PostgreSQL answers; exiting, so that the supervisor restarts the process',
    )
    fail()
  })
  ctx.log.info('worker is running')
  return {
    async stop() {
      await ctx.queueWatch.stop()
      await worker.stop()
    },
  }
}
