import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onFileEnd } from '../on-file-end.ts'
import { accountOfServers, freePort, postgresProgram } from './local-servers.ts'

const run = promisify(execFile)

export type PrivatePostgres = {
  port: number
  /** The folder of its socket. */
  folder: string
  url(database: string): string
  /** Kills the main process of the server like a power failure, without a checkpoint. */
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

/** Starts a PostgreSQL only for this test, which may kill it. `settings` are those of postgresql.conf. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<PrivatePostgres> {
  const place = await preparePlace()
  await runAsPostgres('initdb', ['--pgdata', place.data, '--username', 'postgres', '--auth', 'trust', '--no-sync'])
  return startServer(place, settings)
}

/** Starts a standby of the server at `primaryPort`. If that is a proxy, the standby follows while the proxy forwards. */
export async function startStandby(
  primaryPort: number,
  settings: Record<string, string> = {},
): Promise<PrivatePostgres> {
  const place = await preparePlace()
  await copyServer(primaryPort, place.data, '--write-recovery-conf')
  return startServer(place, settings)
}

/** The folder and the port of a server. */
type Place = { folder: string; data: string; port: number }

async function preparePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'faults-pg-'))
  const { uid, gid } = accountOfServers()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  return { folder, data: join(folder, 'data'), port: await freePort() }
}

function runAsPostgres(program: string, args: string[]) {
  return run(postgresProgram(program), args, accountOfServers())
}

function copyServer(port: number, folder: string, ...more: string[]) {
  const from = ['--host', '127.0.0.1', '--port', String(port), '--username', 'postgres']
  return runAsPostgres('pg_basebackup', [...from, '--pgdata', folder, '--checkpoint', 'fast', '--no-sync', ...more])
}

async function startServer({ folder, data, port }: Place, settings = {}): Promise<PrivatePostgres> {
  const all = {
    port,
    unix_socket_directories: folder,
    listen_addresses: '127.0.0.1',
    max_connections: 150,
    ...settings,
  }
  const options = Object.entries(all)
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(' ')
  const control = (...args: string[]) =>
    runAsPostgres('pg_ctl', ['--pgdata', data, '--log', join(folder, 'log'), ...args])

  async function start(): Promise<void> {
    // After a kill, orphaned processes hold the shared memory for a moment.
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
    folder,
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

export type PrivateRedis = { url: string; signal(signal: NodeJS.Signals): void }

/** Starts a Redis only for this test, which may kill or stop it. Tries again if another program takes the port first. */
export async function startRedis(): Promise<PrivateRedis> {
  for (let attempt = 1; attempt <= 10; attempt++) {
    const started = await startRedisOn(await freePort())
    if (started) return started
  }
  throw new Error('No private Redis could be started')
}

async function startRedisOn(port: number): Promise<PrivateRedis | undefined> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  onFileEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const ready = once(createInterface({ input: child.stdout }).on('line', noteReady), 'ready')
  const isUp = await Promise.race([ready.then(() => true), ended.then(() => false)])
  child.stdout.resume() // Redis would block when nobody reads its output
  return isUp ? { url: `redis://127.0.0.1:${port}`, signal: (signal) => void child.kill(signal) } : undefined
}

function noteReady(this: Interface, line: string): void {
  if (line.includes('Ready to accept connections')) this.emit('ready')
}
