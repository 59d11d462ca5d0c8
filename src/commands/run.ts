import type { Command } from 'commander'
import { findMissingMigration, migrate } from '#db/migrate.ts'
import { CommandRefused } from '#domain/errors.ts'
import { checkKeyring } from '#domain/secrets/check-keyring.ts'
import { serve } from '#http/serve.ts'
import { startWorker } from '#worker/worker.ts'
import { loadConfig } from '../config.ts'
import { type Context, createContext } from '../context.ts'
import { type Part, stopOnSignal } from './stop-on-signal.ts'

type Start = (ctx: Context) => Promise<Part>

export function registerRun(program: Command): void {
  program
    .command('start')
    .description('migrate, then run api and worker in one process: all that a single site needs')
    .action(async () => {
      await migrate(loadConfig().databaseUrl)
      await run([startWork, startApi])
    })
  program
    .command('api')
    .description('run only the api')
    .action(() => run([startApi]))
  program
    .command('worker')
    .description('run only the worker')
    .action(() => run([startWork]))
}

async function run(starts: Start[]): Promise<void> {
  const config = loadConfig()
  const ctx = createContext(config)
  const running = stopOnSignal(ctx.log, config.shutdownSeconds * 1000)
  await running.add({ stop: ctx.close })
  try {
    const missing = await findMissingMigration(ctx.db)
    if (missing) throw new CommandRefused(`The database lacks ${missing}. Run \`voucher-service migrate\` first.`)
    await checkKeyring(ctx.db, config.encryptionKeys)
    for (const start of starts) await running.add(await start(ctx))
  } catch (error) {
    const asked = running.isStopping()
    await running.stop()
    if (!asked) throw error // else it failed because it was told to stop meanwhile
  }
}

async function startApi(ctx: Context): Promise<Part> {
  const { port, listenAddress: address, basePath, trustedProxies, listCacheMiB } = ctx.config
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
  return serve({ ...ctx, basePath, trustedProxies, listCacheMiB }, { port, address, health })
}

async function startWork(ctx: Context): Promise<Part> {
  const worker = startWorker(ctx)
  ctx.log.info('worker is running')
  return worker
}
