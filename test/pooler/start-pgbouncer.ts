import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { accountOfServers, freePort } from '#test/data/local-servers.ts'
import { onFileEnd } from '#test/on-file-end.ts'

/** `PGBOUNCER` names another program than the one of the package. */
const program = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer'

/** From version 1.21 on, PgBouncer keeps prepared statements in transaction mode. Debian 12 has 1.18, Debian 13 a newer one. */
export function keepsPreparedStatements(): boolean {
  const [, major, minor] =
    /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? []
  return Number(major) > 1 || Number(minor) >= 21
}

/**
 * Starts a PgBouncer in transaction mode for one role, with the settings of docs/scaling.md. It has only `poolSize` connections to
 * the server, so clients share them all the time. Returns the URL through it.
 */
export async function startPgBouncer(directUrl: string, poolSize: number): Promise<string> {
  const { port: serverPort, username, pathname } = new URL(directUrl)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  const { uid, gid } = accountOfServers()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  writeFileSync(join(folder, 'users'), `"${username}" ""\n`)
  writeFileSync(
    join(folder, 'settings.ini'),
    `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options
${keepsPreparedStatements() ? 'max_prepared_statements = 200' : ''}
`,
  )
  const child = spawn(program, ['-q', join(folder, 'settings.ini')], { ...accountOfServers(), stdio: 'ignore' })
  const ended = once(child, 'exit')
  onFileEnd(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  await untilListening(port)
  return `postgres://${username}@127.0.0.1:${port}${pathname}`
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const socket = connect(port, '127.0.0.1')
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isUp) return
    if (attempt === 100) throw new Error('PgBouncer does not listen')
    await pause(50)
  }
}
