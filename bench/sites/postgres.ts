import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { accountOfServers, freePort, postgresProgram } from '#test/data/local-servers.ts'

/** The settings of a server of its own with a few gigabytes of memory. Everything else is PostgreSQL's default. */
const serverSettings = {
  shared_buffers: '2GB',
  effective_cache_size: '6GB',
  max_wal_size: '4GB',
  max_connections: '200',
  shared_preload_libraries: 'pg_stat_statements',
  track_io_timing: 'on',
  log_autovacuum_min_duration: '0',
}

export type BenchServer = { url(database: string): string; pid: number; folder: string; stop(): Promise<void> }

/** Starts a PostgreSQL only for this run, in a temporary folder unless one is to be kept. It waits for the disk as in production. */
export async function startBenchServer(kept: string | undefined): Promise<BenchServer> {
  if (kept !== undefined) mkdirSync(kept, { recursive: true })
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'voucher-sites-'))
  const account = accountOfServers()
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  const initdb = ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8']
  if (!existsSync(data))
    execFileSync(postgresProgram('initdb'), [...initdb, '--locale', 'C.UTF-8'], { ...account, stdio: 'pipe' })
  const port = await freePort()
  const place = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1']
  const settings = Object.entries(serverSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(postgresProgram('postgres'), [...place, ...settings], { ...account, cwd: '/', stdio: 'ignore' })
  const ended = once(child, 'exit')
  process.once('exit', () => child.kill('SIGQUIT'))
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url('postgres') })
    const isUp = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => {})
    if (isUp) break
    if (attempt >= 300) throw new Error('The private PostgreSQL did not start')
    await pause(100)
  }
  return {
    url,
    pid: child.pid as number,
    folder,
    async stop() {
      child.kill('SIGINT')
      await ended
      if (kept === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
