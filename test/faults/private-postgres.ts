import { execFile, execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
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
  /** Ends every process of the server at once, without a checkpoint, and waits until they are gone. */
  stop(): Promise<void>
  /** Makes a standby the new primary. */
  promote(): Promise<void>
  /** Copies the whole server while it runs; returns the folder of the copy. */
  takeBackup(): Promise<string>
  /** Replaces everything by a backup, which can be used once. The server must be stopped, and is stopped afterwards. */
  restore(backup: string): void
}

/** A PostgreSQL of the test's own, to be killed. */
export async function startPostgres(): Promise<PrivatePostgres> {
  const place = await preparePlace()
  await runAsPostgres('initdb', ['--pgdata', place.data, '--username', 'postgres', '--auth', 'trust'])
  return startServer(place)
}

/** A standby of the server that answers at `primaryPort`, which may be a proxy: it follows as long as that lets it. */
export async function startStandby(primaryPort: number): Promise<PrivatePostgres> {
  const place = await preparePlace()
  await copyServer(primaryPort, place.data, '--write-recovery-conf')
  return startServer(place)
}

/** A server needs a folder of its own and a port. */
type Place = { folder: string; data: string; port: number }

async function preparePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'faults-pg-'))
  const { uid, gid } = account()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  return { folder, data: join(folder, 'data'), port: await freePort() }
}

/** PostgreSQL refuses to run as root. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function runAsPostgres(program: string, args: string[]) {
  const newest = readdirSync(versions).toSorted((a, b) => Number(b) - Number(a))[0] as string
  return run(join(versions, newest, 'bin', program), args, account())
}

function copyServer(port: number, folder: string, ...more: string[]) {
  const from = ['--host', '127.0.0.1', '--port', String(port), '--username', 'postgres']
  return runAsPostgres('pg_basebackup', [...from, '--pgdata', folder, '--checkpoint', 'fast', '--no-sync', ...more])
}

async function startServer({ folder, data, port }: Place): Promise<PrivatePostgres> {
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=150`
  const control = (...args: string[]) =>
    runAsPostgres('pg_ctl', ['--pgdata', data, '--log', join(folder, 'log'), ...args])

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

  const stop = async () => void (await control('--mode', 'immediate', '--wait', 'stop'))
  await start()
  onFileEnd(async () => {
    await stop().catch(() => {})
    rmSync(folder, { recursive: true, force: true })
  })
  let backups = 0
  return {
    port,
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async kill() {
      const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
    },
    start,
    restart: async () => void (await control('--options', options, '--mode', 'fast', '--wait', 'restart')),
    stop,
    promote: async () => void (await control('--wait', 'promote')),
    async takeBackup() {
      backups += 1
      const backup = join(folder, `backup-${backups}`)
      await copyServer(port, backup)
      return backup
    },
    restore(backup) {
      rmSync(data, { recursive: true })
      renameSync(backup, data)
    },
  }
}
