import { execFile, execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onFileEnd } from '#test/on-file-end.ts'
import { freePort } from '#test/private-redis.ts'

const run = promisify(execFile)
const versions = '/usr/lib/postgresql'

export type PrivatePostgres = {
  port: number
  url(database: string): string
  /** As when the power goes: no checkpoint, no goodbye. */
  kill(): Promise<void>
  start(): Promise<void>
  restart(): Promise<void>
}

/** A PostgreSQL of the test's own, to be killed. */
export async function startPostgres(): Promise<PrivatePostgres> {
  const newest = readdirSync(versions).toSorted((a, b) => Number(b) - Number(a))[0] as string
  const bin = (name: string) => join(versions, newest, 'bin', name)
  const folder = mkdtempSync(join(tmpdir(), 'faults-pg-'))
  const data = join(folder, 'data')
  const port = await freePort()
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const as = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (isRoot) chownSync(folder, Number(as.uid), Number(as.gid))
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=150`
  const control = (...args: string[]) =>
    run(bin('pg_ctl'), ['--pgdata', data, '--log', join(folder, 'log'), ...args], as)

  async function start(): Promise<void> {
    // After a kill its orphans hold the shared memory for a moment.
    for (let attempt = 1; ; attempt++) {
      try {
        await control('--options', options, '--wait', 'start')
        return
      } catch (error) {
        if (attempt === 50) throw error
        await pause(200)
      }
    }
  }

  await run(bin('initdb'), ['--pgdata', data, '--username', 'postgres', '--auth', 'trust'], as)
  await start()
  onFileEnd(async () => {
    await control('--mode', 'immediate', 'stop').catch(() => {})
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    port,
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async kill() {
      const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
    },
    start,
    restart: async () => void (await control('--options', options, '--mode', 'fast', '--wait', 'restart')),
  }
}
