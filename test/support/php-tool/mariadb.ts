import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import mysql from 'mysql2/promise'
import { freePort, isListening } from '../data/local-servers.ts'
import { onFileEnd } from '../on-file-end.ts'

/** A database of the tool. */
export type ToolDatabase = {
  name: string
  url: string
  /** Returns the rows, or the outcome of a change. A time is a text in the time zone of the server, as every client gets it. */
  query(sql: string, values?: unknown[]): Promise<any>
}

export type MariaDB = {
  port: number
  /** The account of every database that `createDatabase` created. */
  user: string
  password: string
  url(database: string): string
  /** Runs statements as root. */
  query(sql: string): Promise<any>
  createDatabase(name: string): Promise<ToolDatabase>
}

const user = 'tool'
const password = 'p@ss:w/rd' // a URL must encode it

/**
 * A private MariaDB on a free port; it starts in about two seconds. `timeZone` is an offset such as `+00:00`, or the name of
 * a zone: then the zone is that of the machine of the server.
 */
export async function startMariaDB({ timeZone = '+00:00' } = {}): Promise<MariaDB> {
  const folder = mkdtempSync(join(tmpdir(), 'mariadb-'))
  const port = await freePort()
  const { username } = userInfo()
  // A server deletes the temporary tables in its folder when it starts, so servers that share a folder make each other fail.
  const common = ['--no-defaults', `--datadir=${folder}/data`, `--tmpdir=${folder}`, `--user=${username}`]
  const small = ['--innodb-log-file-size=4M', '--innodb-buffer-pool-size=16M', '--innodb-flush-log-at-trx-commit=0']
  await promisify(execFile)('mariadb-install-db', [
    ...common,
    ...small,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ])

  const isOffset = /^[+-]/.test(timeZone)
  const child = spawn(
    '/usr/sbin/mariadbd',
    [
      ...common,
      ...small,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${folder}/socket`,
      `--pid-file=${folder}/pid`,
      `--log-error=${folder}/log`,
      '--skip-name-resolve',
      '--skip-log-bin',
      ...(isOffset ? [`--default-time-zone=${timeZone}`] : []),
    ],
    { env: { PATH: process.env['PATH'], ...(!isOffset && { TZ: timeZone }) }, stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  onFileEnd(async () => {
    child.kill('SIGKILL') // its data are deleted anyway
    await ended
    rmSync(folder, { recursive: true })
  })

  const run = async (
    sql: string,
    { values = [] as unknown[], database }: { values?: unknown[]; database?: string } = {},
  ) => {
    const connection = await mysql.createConnection({
      host: '127.0.0.1',
      port,
      user: 'root',
      dateStrings: true,
      multipleStatements: true,
      ...(database !== undefined && { database }),
    })
    try {
      return (await connection.query(sql, values))[0]
    } finally {
      await connection.end()
    }
  }
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`MariaDB ended:\n${readFileSync(join(folder, 'log'), 'utf8')}`)
    await pause(50)
  }
  await run(`create user ${user}@127.0.0.1 identified by '${password}'`)
  const url = (database: string) => `mysql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
  return {
    port,
    user,
    password,
    url,
    query: (sql) => run(sql),
    async createDatabase(name) {
      await run(`create database ${name} character set utf8mb4 collate utf8mb4_unicode_ci`)
      await run(`grant all on ${name}.* to ${user}@127.0.0.1`)
      return { name, url: url(name), query: (sql, values = []) => run(sql, { values, database: name }) }
    },
  }
}
