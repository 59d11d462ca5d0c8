import type { Command } from 'commander'
import { wholeNumber } from './arguments.ts'
import { startDemo } from './demo/start-demo.ts'

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('try it with simulated controllers: needs only a PostgreSQL (DATABASE_URL or the local one)')
    .option('--port <n>', 'port of the service, 0 for any that is free', wholeNumber(0, 65535), 8080)
    .action(({ port }: { port: number }) => startDemo(port))
}
