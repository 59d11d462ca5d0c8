import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { CommandRun } from './command.ts'
import { freePort } from './data/local-servers.ts'
import { serverUrl } from './data/template-database.ts'
import { processEnvironment, testEnvironment } from './environment.ts'
import { onFileEnd } from './on-file-end.ts'

/** The service as it is installed. The set-up of a test run builds it. */
export const program = fileURLToPath(new URL('../../dist/service/main.js', import.meta.url))

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
  const isSilent = ['warn', 'error', 'fatal', 'silent'].includes(env['LOG_LEVEL'] ?? 'info')
  const port = isSilent ? String(await freePort()) : '0' // its log does not say which port it has
  const child = spawn(process.execPath, [script, command], {
    env: { ...processEnvironment, ...testEnvironment(databaseUrl, { LOG_LEVEL: 'info', PORT: port, ...env }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.on('data', (chunk) => process.stderr.write(chunk)) // with 'inherit', an orphan would keep the run open
  const ended = once(child, 'exit')
  const log: string[] = []
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    log.push(line)
    const url = /listening on (http:[^"]+)"/.exec(line)?.[1]
    if (url) resolve(url)
    if (command === 'worker' && line.includes('worker is running')) resolve('')
  })
  if (isSilent) void untilAnswering(`http://127.0.0.1:${port}`, ended).then(resolve)
  ended.then(() => reject(new Error(`it ended before it listened:\n${log.join('\n')}`)))
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ((await ended) as [number | null])[0]
  }
  onFileEnd(() => (child.exitCode === null && child.signalCode === null ? stop('SIGKILL') : undefined))
  return { url: await listening, process: child, log, stop }
}

/** Returns the address when it answers, or when the process has ended. */
async function untilAnswering(url: string, ended: Promise<unknown>): Promise<string> {
  let isOver = false
  void ended.then(() => (isOver = true))
  while (!isOver && !(await fetch(`${url}/healthz`).catch(() => undefined))) await pause(100)
  return url
}

export type Demo = {
  process: ChildProcess
  /** The only line on stdout, for programs. */
  facts: any
  /** The text on stderr, for people. */
  words: () => string
  ended: Promise<unknown[]>
  readyAfterMs: number
}

/** Starts the demo as its own process and waits until it is ready. It gets only these settings. */
export async function startDemo({ databaseUrl = serverUrl, options = [] as string[] } = {}): Promise<Demo> {
  const begin = performance.now()
  const demo = spawn(process.execPath, [program, 'demo', '--port', '0', ...options], {
    env: { ...processEnvironment, DATABASE_URL: databaseUrl },
  })
  const ended = once(demo, 'exit')
  onFileEnd(async () => {
    demo.kill('SIGTERM') // so that it drops its database
    await ended
  })
  let words = ''
  demo.stderr.on('data', (chunk) => (words += chunk))
  const [line] = (await once(createInterface({ input: demo.stdout }), 'line')) as [string]
  return { process: demo, facts: JSON.parse(line), words: () => words, ended, readyAfterMs: performance.now() - begin }
}

/** Runs one command to its end as a process of its own. `runCommand` is faster where the process itself does not matter. */
export async function spawnCommand(
  databaseUrl: string,
  args: string[],
  options: {
    stdin?: string
    env?: Record<string, string>
    /** The process gets SIGTERM, or another signal, when this is settled, or after its first output. */
    stopAfter?: Promise<unknown> | 'output'
    signal?: NodeJS.Signals
    closeStdout?: true
    script?: string
  } = {},
): Promise<CommandRun> {
  const child = spawn(process.execPath, [options.script ?? program, ...args], {
    env: { ...processEnvironment, ...testEnvironment(databaseUrl, options.env) },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  if (options.closeStdout) child.stdout.destroy()
  child.stdin.end(options.stdin ?? '')
  const stop = () => child.kill(options.signal ?? 'SIGTERM')
  if (options.stopAfter === 'output') child.stdout.once('data', stop)
  else void options.stopAfter?.then(stop, stop)
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) }
}
