import type { Command } from 'commander'
import { findMissingMigration } from '#db/migrate.ts'
import { CommandRefused } from '#domain/errors.ts'
import { checkKeyring } from '#domain/secrets/check-keyring.ts'
import type { WatchTimes } from '#worker/queue-watch.ts'
import { loadConfig } from '../config.ts'
import { type Context, createContext } from '../context.ts'
import { migrateAll } from './migrate-all.ts'
import { startApi, startWork } from './parts.ts'
import { type Part, stopOnSignal } from './stop-on-signal.ts'

type Start = (ctx: Context, fail: () => void) => Promise<Part>

export function registerRun(program: Command): void {
  program
    .command('start')
    .description('migrate, then run api and worker in one process: all that a single site needs')
    .action(async () => {
      await migrateAll(loadConfig().databaseUrl)
      await run('worker', [startWork, startApi])
    })
  program
    .command('api')
    .description('run only the api')
    .action(() => run('api', [startApi]))
  program
    .command('worker')
    .description('run only the worker')
    .action(() => run('worker', [startWork]))
}

export async function run(role: 'api' | 'worker', starts: Start[], watchTimes?: WatchTimes): Promise<void> {
  const config = loadConfig()
  const ctx = createContext(config, role, { watchTimes })
  const running = stopOnSignal(ctx.log, config.shutdownSeconds * 1000)
  await running.add({ stop: ctx.close })
  try {
    const missing = await findMissingMigration(ctx.db)
    if (missing) throw new CommandRefused(`The database lacks ${missing}. Run \`voucher-service migrate\` first.`)
    await checkKeyring(ctx.db, config.encryptionKeys)
    await ctx.clock.start()
    await ctx.queue.start()
    for (const start of starts) await running.add(await start(ctx, running.fail))
  } catch (error) {
    const asked = running.isStopping()
    await running.stop()
    if (!asked) throw error // else it failed because it was told to stop meanwhile
  }
}
