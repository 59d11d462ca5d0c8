import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Command } from 'commander'
import { simulatorProgram } from './demo/start-controllers.ts'
import { wholeNumber } from './terminal/arguments.ts'
import type { Terminal } from './terminal/terminal.ts'

const defaultPort = 'default: PORT, or 8080'

export function registerDemo(command: Command, terminal: Terminal): void {
  command
    .option('--port <n>', `port of the service, 0 for any that is free (${defaultPort})`, wholeNumber(0, 65535))
    .option('--empty', 'start without sites and people, to see the first run')
    .action(async (options: { port?: number; empty?: true }) =>
      (await import('./demo/start-demo.ts')).startDemo(terminal, options),
    )
}

/** `npm run dev` runs this command, which the help does not list. */
export function registerDev(command: Command, terminal: Terminal): void {
  command
    .option('--port <n>', `port of the service (${defaultPort})`, wholeNumber(1, 65535))
    .option('--web-port <n>', 'port of the web app, or the next one that is free', wholeNumber(1, 65535), 5173)
    .option('--database <name>', 'name of its database, which is created if it does not exist', 'voucher_dev')
    .action(async (options: { port?: number; webPort: number; database: string }) =>
      (await import('./demo/start-dev.ts')).startDev(terminal, options),
    )
}

/** Runs one simulated controller, for people who test their own programs. It parses its own options. */
export function registerSimulator(command: Command, terminal: Terminal): void {
  command
    .argument('[options...]')
    .helpOption(false)
    .allowUnknownOption()
    .action(async (options: string[]) => {
      const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
      const child = spawn(process.execPath, [simulatorProgram, ...options], { stdio: [...stdio] })
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGTERM'))
      const [exitCode] = (await once(child, 'exit')) as [number | null]
      terminal.exitCode = exitCode ?? 1
    })
}
