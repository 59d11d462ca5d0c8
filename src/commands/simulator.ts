import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'

const program = fileURLToPath(new URL('../../simulator/main.ts', import.meta.url))

/** The simulated controller on its own, for those who test their own programs. It knows its options itself. */
export function registerSimulator(commands: Command): void {
  commands
    .command('simulator')
    .description('run a simulated controller on 127.0.0.1; simulator --help shows its options')
    .argument('[options...]')
    .helpOption(false)
    .allowUnknownOption()
    .action(async (options: string[]) => {
      const child = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGTERM'))
      const [exitCode] = (await once(child, 'exit')) as [number | null]
      process.exitCode = exitCode ?? 1
    })
}
