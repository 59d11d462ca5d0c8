import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Point } from '#lib/points.ts'
import { freePort } from '#test/data/local-servers.ts'
import { processEnvironment, testEnvironment } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { program } from '#test/service.ts'
import type { Mutant } from './mutants.ts'

/** Mutants run from source, because their preload replaces exports of modules. */
const source = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const preload = fileURLToPath(new URL('./preload.ts', import.meta.url))

/** A process of the service that is started again whenever it ends, as by systemd. */
export type Supervised = {
  name: string
  url: string
  kills: number
  /** Kills the process when it next reaches this point. */
  dieAt(point: Point): void
  kill(): void
  /** Sets how far the clock of the process is ahead of this machine's. A restart does not change it. */
  setClock(aheadMs: number): void
  /** Sends SIGSTOP, and SIGCONT after `ms`. */
  freeze(ms: number): Promise<void>
  /** Sends SIGTERM and returns the exit code when the process has ended. Then a new process starts. */
  restart(): Promise<number | null>
  log: string[]
}

export async function supervise(
  name: string,
  command: 'api' | 'worker',
  env: Record<string, string>,
  mutant?: Mutant,
): Promise<Supervised> {
  const port = command === 'api' ? await freePort() : 0
  let child: ChildProcess
  let over = false
  const log: string[] = []
  const state = { kills: 0, clockAheadMs: 0 }

  function start(): Promise<void> {
    child = spawn(process.execPath, ['--import', preload, mutant ? source : program, command], {
      env: {
        ...processEnvironment,
        ...testEnvironment('', { LOG_LEVEL: 'info', ...env, PORT: String(port) }),
        DATABASE_URL: env['DATABASE_URL'],
        ...(mutant && { FAULT_MUTANT: mutant }),
        FAULT_CLOCK_AHEAD_MS: String(state.clockAheadMs),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      log.push(line)
      if (log.length > 5_000) log.splice(0, 1_000)
      if (/listening on|worker is running/.test(line)) resolve()
    })
    child.stderr?.on('data', (chunk) => log.push(String(chunk)))
    child.on('error', () => {})
    const begun = child
    child.on('exit', async (_, signal) => {
      resolve()
      if (signal === 'SIGKILL') state.kills += 1
      if (over || child !== begun) return
      await pause(100)
      if (!over) void start()
    })
    return promise
  }

  await start()
  onFileEnd(async () => {
    over = true
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    get kills() {
      return state.kills
    },
    dieAt(point) {
      if (child.connected) child.send({ dieAt: point }, () => {})
    },
    setClock(aheadMs) {
      state.clockAheadMs = aheadMs
      if (child.connected) child.send({ clockAheadMs: aheadMs }, () => {})
    },
    kill: () => void child.kill('SIGKILL'),
    async freeze(ms) {
      const frozen = child
      frozen.kill('SIGSTOP')
      await pause(ms)
      frozen.kill('SIGCONT')
    },
    async restart() {
      const ending = child
      const ended = once(ending, 'exit') as Promise<[number | null]>
      ending.kill('SIGTERM')
      return (await ended)[0]
    },
    log,
  }
}
