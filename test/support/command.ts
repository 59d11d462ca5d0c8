import { Readable } from 'node:stream'
import { runProgram } from '../../src/commands/program.ts'
import { testEnvironment } from './environment.ts'

export type CommandRun = { exitCode: number | null; stdout: string; stderr: string; json: () => any }

/** Runs one command of the service in this process, which is fast. `spawnCommand` starts a real process. */
export async function runCommand(
  databaseUrl: string,
  args: string[],
  options: { stdin?: string; env?: Record<string, string> } = {},
): Promise<CommandRun> {
  let [stdout, stderr] = ['', '']
  const exitCode = await runProgram(args, {
    env: testEnvironment(databaseUrl, options.env),
    stdin: () => Readable.from(options.stdin ? [Buffer.from(options.stdin)] : []),
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  })
  return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) }
}
