import type { Command } from 'commander'
import { migrate } from '#db/migrate.ts'
import { loadConfig } from '../config.ts'
import { print } from './output.ts'

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to this version; safe to run twice or at the same time')
    .action(async (_options, command: Command) => {
      const applied = await migrate(loadConfig().databaseUrl)
      print(command, { applied })
    })
}
