import { findMissingMigration } from '#db/migrate.ts'
import { type RunningServer, serve } from '#http/serve.ts'
import { startWorker } from '#worker/worker.ts'
import type { Context } from '../context.ts'
import type { Part } from './stop-on-signal.ts'

export async function startApi(ctx: Context): Promise<RunningServer> {
  const { port, listenAddress: address, basePath, trustedProxies, listCacheMiB, drainSeconds } = ctx.config
  const health = {
    notReadyBecause: () =>
      findMissingMigration(ctx.db).then(
        (missing) => missing && 'the database is not migrated',
        (err) => {
          ctx.log.warn({ err }, 'not ready')
          return 'the database is out of reach'
        },
      ),
  }
  return serve(
    { ...ctx, basePath, trustedProxies, listCacheMiB },
    { port, address, health, drainMs: drainSeconds * 1000 },
  )
}

export async function startWork(ctx: Context): Promise<Part> {
  const worker = await startWorker(ctx)
  ctx.log.info('worker is running')
  return worker
}
