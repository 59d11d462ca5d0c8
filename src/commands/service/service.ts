import { isReadOnly, readOnly } from '#db/database.ts'
import { findMissingMigration } from '#db/migrate.ts'
import { openSetup } from '#domain/staff/setup.ts'
import type { Health, Readiness } from '#http/server/health.ts'
import { type RunningServer, serve } from '#http/server/server.ts'
import { startWorker } from '#worker/worker.ts'
import type { Context } from '../../context.ts'
import type { Part } from './stop-on-signal.ts'

export async function startApi(ctx: Context): Promise<RunningServer> {
  await printSetupToken(ctx)
  const { port, listenAddress: address, drainSeconds } = ctx.config
  const { basePath, trustedProxies, listCacheMiB, publicUrl, allowHttpSignIn } = ctx.config
  return serve(
    { ...ctx, basePath, trustedProxies, listCacheMiB, publicUrl, allowHttpSignIn },
    { port, address, health: createHealth(ctx), drainMs: drainSeconds * 1000 },
  )
}

/**
 * Logs how to create the first administrator, until there is one. The token is the only secret that the log may contain: it
 * expires after a day, or when the first administrator is created.
 */
async function printSetupToken({ db, log, keyring, config }: Context): Promise<void> {
  const { publicUrl, port, setupToken: given } = config
  const setup = await openSetup(db, { keyring, given }).catch((err) => {
    log.error({ err }, 'the setup token could not be made; restart the api when the database accepts writes')
  })
  if (!setup) return
  const page = `${publicUrl ?? `http://localhost:${port}`}/first-run`
  if (given !== undefined) return log.warn(`there is no administrator yet: open ${page} and enter SETUP_TOKEN`)
  log.warn(
    { setupToken: setup.token, validUntil: setup.expiresAt },
    `there is no administrator yet: open ${page} and enter the setup token ${setup.token}`,
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

/** Creates the check behind `/readyz`. One check runs at a time; requests that arrive meanwhile share its result. */
function createHealth(ctx: Pick<Context, 'db' | 'healthDb' | 'queueWatch' | 'log'>): Health {
  let checking: Promise<Readiness> | undefined

  async function check(): Promise<Readiness> {
    if (ctx.queueWatch.silentQueues().length > 0) return notReady('the worker fetches no jobs')
    try {
      if (await findMissingMigration(ctx.healthDb)) return notReady('the database is not migrated')
      const reason = (await isReadOnly(ctx.healthDb)) ? readOnly : ctx.db.writesRefusedBecause()
      return reason === undefined ? { status: 'ready' } : { status: 'ready', writes: 'refused', reason }
    } catch (err) {
      ctx.log.warn({ err }, 'not ready')
      return notReady('the database is out of reach')
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

function notReady(reason: string): Readiness {
  return { status: 'not_ready', reason }
}
