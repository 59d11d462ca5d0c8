import type { Command } from 'commander'
import { migrate } from '#db/migrate.ts'
import { migrateQueue } from '#queue/queue.ts'
import { loadConfig } from '../config.ts'
import { print } from './terminal/output.ts'
import type { Terminal } from './terminal/terminal.ts'

export function registerMigrate(command: Command, terminal: Terminal): void {
  command.action(async () => {
    const applied = await migrateAll(loadConfig(terminal.env).databaseUrl)
    print(terminal, { applied })
  })
}

/** Migrates the service's tables and the queue's. Returns the names of the new migrations of the service. */
export async function migrateAll(databaseUrl: string): Promise<string[]> {
  const applied = await migrate(databaseUrl)
  await migrateQueue(databaseUrl)
  return applied
}
