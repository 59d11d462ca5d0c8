import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { accountOfServers, findPostgresPrograms, freePort, postgresProgram } from './local-servers.ts'

/**
 * Starts a PostgreSQL for this run that never waits for the disk, in memory where there is room. With the usual
 * settings, dropping a test database took 3 to 8 s while other tests ran, because each drop waits for a checkpoint. The
 * server ends when this process ends, even if it is killed.
 */
export async function startServerOfRun(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(inMemory() ?? tmpdir(), 'voucher-tests-'))
  const account = accountOfServers()
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  const initdb = ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--no-sync', '--encoding', 'UTF8']
  execFileSync(postgresProgram('initdb'), [...initdb, '--locale', 'C.UTF-8'], { ...account, stdio: 'pipe' })
  const port = await freePort()
  const settings = [
    'fsync=off',
    'full_page_writes=off',
    'max_connections=500',
    'max_wal_size=4GB',
    'checkpoint_timeout=1h',
    'wal_keep_size=1GB', // a test that reads its WAL may be slower than the checkpoints of other tests
  ]
  const place = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1']
  const options = [...place, ...settings.flatMap((one) => ['-c', one])]
  // The shell waits for the end of its input, which comes when this process ends, and then stops the server.
  const script = '"$@" >"$0/log" 2>&1 </dev/null & read -r _; kill -QUIT $!; wait $!; rm -rf "$0"'
  const shell = spawn('sh', ['-c', script, folder, postgresProgram('postgres'), ...options], {
    ...account,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true, // Ctrl C ends the tests first
  })
  shell.unref()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await untilAnswering(url)
  return { url, stop: () => stop(shell) }
}

/** Whether this machine can start a PostgreSQL of its own. */
export function canStartServer(): boolean {
  return findPostgresPrograms() !== undefined
}

function inMemory(): string | undefined {
  try {
    accessSync('/dev/shm')
    return '/dev/shm'
  } catch {
    return undefined
  }
}

async function untilAnswering(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (attempt >= 300) throw error
      await pause(100)
    }
  }
}

async function stop(shell: ChildProcess): Promise<void> {
  const ended = once(shell, 'exit')
  shell.stdin?.end()
  await ended
}
