import { type BreakingMigration, describeBreaking } from '#db/breaking-migrations.queries.ts'
import { isReadOnly, readOnly } from '#db/database.ts'
import { findMisfit } from '#db/migrate.ts'
import { findHold } from '#domain/hold.queries.ts'
import type { Health, Readiness } from '#http/server/health.ts'
import { type RunningServer, serve } from '#http/server/server.ts'
import { startWorker } from '#worker/worker.ts'
import type { Context } from '../../context.ts'
import { logNextSteps } from './log-next-steps.ts'
import type { Part } from './stop-on-signal.ts'

export async function startApi(ctx: Context): Promise<RunningServer> {
  const { port, listenAddress: address, drainSeconds } = ctx.config
  const { basePath, trustedProxies, listCacheMiB, securityContact, publicUrl, allowHttpSignIn } = ctx.config
  const server = await serve(
    { ...ctx, basePath, trustedProxies, listCacheMiB, securityContact, publicUrl, allowHttpSignIn },
    { port, address, health: createHealth(ctx), drainMs: drainSeconds * 1000 },
  )
  await logNextSteps(ctx, server.port)
  return server
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
  return {
    async stop() {
      await ctx.queueWatch.stop()
      await worker.stop()
    },
  }
}

/** Creates the check behind `/readyz`. One check runs at a time; requests that arrive meanwhile share its result. */
function createHealth(ctx: Pick<Context, 'db' | 'healthDb' | 'queueWatch' | 'log'>): Health {
  let checking: Promise<Readiness> | undefined

  async function check(): Promise<Readiness> {
    if (ctx.queueWatch.silentQueues().length > 0) return notReady('the worker fetches no jobs')
    try {
      const misfit = await findMisfit(ctx.healthDb)
      if (misfit) return notReady('missing' in misfit ? 'the database is not migrated' : outdated(misfit.breaking))
      const reason = (await findRefusal(ctx)) ?? ctx.db.writesRefusedBecause()
      return reason === undefined ? { status: 'ready' } : { status: 'ready', writes: 'refused', reason }
    } catch (err) {
      ctx.log.warn({ err }, 'not ready')
      return notReady('the database cannot be reached')
    }
  }

  return {
    readiness() {
      checking ??= check().finally(() => {
        checking = undefined
      })
      return checking
    },
  }
}

async function findRefusal({ healthDb }: Pick<Context, 'healthDb'>): Promise<string | undefined> {
  if (await isReadOnly(healthDb)) return readOnly
  return (await findHold(healthDb)) && 'the service is held'
}

function outdated(breaking: BreakingMigration): string {
  const { problem, fix } = describeBreaking(breaking)
  return `${problem} ${fix}`
}

function notReady(reason: string): Readiness {
  return { status: 'not_ready', reason }
}
