import type { Command } from 'commander'
import { findMissingMigration } from '#db/migrate.ts'
import { checkKeyring } from '#domain/secrets/check-keyring.ts'
import type { WatchTimes } from '#worker/queue-watch.ts'
import { loadConfig } from '../../config.ts'
import { type Context, createContext } from '../../context.ts'
import { migrateAll } from '../migrate.ts'
import { CommandRefused } from '../terminal/refusals.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { startApi, startWork } from './service.ts'
import { type Part, stopOnSignal } from './stop-on-signal.ts'

export function registerStart(command: Command, { env }: Terminal): void {
  command.action(async () => {
    await migrateAll(loadConfig(env).databaseUrl)
    await run(env, { role: 'worker', starts: [startWork, startApi] })
  })
}

export function registerApi(command: Command, { env }: Terminal): void {
  command.action(() => run(env, { role: 'api', starts: [startApi] }))
}

export function registerWorker(command: Command, { env }: Terminal): void {
  command.action(() => run(env, { role: 'worker', starts: [startWork] }))
}

type Run = {
  role: 'api' | 'worker'
  starts: ((ctx: Context, fail: () => void) => Promise<Part>)[]
  watchTimes?: WatchTimes
}

/** Returns once all parts have started. They run until a signal stops them. */
export async function run(env: NodeJS.ProcessEnv, { role, starts, watchTimes }: Run): Promise<void> {
  const config = loadConfig(env)
  const ctx = createContext(config, role, { watchTimes })
  const running = stopOnSignal(ctx.log, config.shutdownSeconds * 1000)
  await running.add({ stop: ctx.close })
  try {
    const missing = await findMissingMigration(ctx.db)
    if (missing)
      throw new CommandRefused(
        `The database is not up to date: migration ${missing} is missing. Run \`voucher-service migrate\` first.`,
      )
    await checkKeyring(ctx.db, config.encryptionKeys)
    await ctx.start()
    for (const start of starts) await running.add(await start(ctx, running.fail))
  } catch (error) {
    const asked = running.isStopping()
    await running.stop()
    if (!asked) throw error // otherwise the start failed because a signal stopped it
  }
}
