import type { Command } from 'commander'
import { loadConfig } from '../config.ts'
import { migrateAll } from './migrate-all.ts'
import { print } from './output.ts'

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to this version; safe to run twice or at the same time')
    .action(async (_options, command: Command) => {
      const applied = await migrateAll(loadConfig().databaseUrl)
      print(command, { applied })
    })
}
