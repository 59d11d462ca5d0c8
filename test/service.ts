import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { testEnvironment } from './environment.ts'
import { onFileEnd } from './on-file-end.ts'

const program = fileURLToPath(new URL('../bin/voucher-service.js', import.meta.url))

export type Service = {
  url: string
  process: ChildProcess
  log: string[]
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** The service as its own process, as an operator starts it. */
export async function startService(
  databaseUrl: string,
  env: Record<string, string> = {},
  command = 'api',
  script = program,
): Promise<Service> {
  const child = spawn(process.execPath, [script, command], {
    env: { PATH: process.env['PATH'], ...testEnvironment(databaseUrl, { LOG_LEVEL: 'info', ...env }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.on('data', (chunk) => process.stderr.write(chunk)) // inherited, an orphan would keep the whole run open
  const ended = once(child, 'exit')
  const log: string[] = []
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    log.push(line)
    const url = /listening on (http:[^"]+)"/.exec(line)?.[1]
    if (url) resolve(url)
    if (command === 'worker' && line.includes('worker is running')) resolve('')
  })
  ended.then(() => reject(new Error(`it ended before it listened:\n${log.join('\n')}`)))
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ((await ended) as [number | null])[0]
  }
  onFileEnd(() => (child.exitCode === null && child.signalCode === null ? stop('SIGKILL') : undefined))
  return { url: await listening, process: child, log, stop }
}

export type Run = { exitCode: number | null; stdout: string; stderr: string; json: () => any }

/** Runs one command to its end. */
export async function runCommand(
  databaseUrl: string,
  args: string[],
  options: { stdin?: string; env?: Record<string, string>; killAfterMs?: number } = {},
): Promise<Run> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...testEnvironment(databaseUrl, options.env) },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  child.stdin.end(options.stdin ?? '')
  if (options.killAfterMs !== undefined) setTimeout(() => child.kill('SIGTERM'), options.killAfterMs)
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) }
}
