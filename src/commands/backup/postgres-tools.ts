import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { throwUnavailable } from '#db/database.ts'
import { urlOfPrimary } from '#db/database-client.ts'
import { type DatabaseTls, parseDatabaseAddress } from '#lib/database-address.ts'
import { CommandRefused } from '../terminal/refusals.ts'

type Tool = 'pg_dump' | 'pg_restore'

/** PostgreSQL's own settings, as its programs read them from the environment. The process list does not show them. */
export type ToolEnvironment = Record<string, string>

/**
 * Runs work with an environment in which the programs of PostgreSQL use the same server, in the same way, as the service. The other
 * settings of the service, such as its keys, are left out.
 */
export async function withToolEnvironment<T>(
  databaseUrl: string,
  env: NodeJS.ProcessEnv,
  work: (env: ToolEnvironment) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'voucher-keep-'))
  try {
    const authorities = join(folder, 'authorities.pem')
    await writeFile(authorities, getCACertificates().join('\n'))
    const url = await urlOfPrimary(databaseUrl).catch(throwUnavailable)
    return await work(toolEnvironment(url, env, authorities))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The address has one host. `authorities` is a file with the authorities that Node trusts. libpq has no list of its own before version 16. */
export function toolEnvironment(databaseUrl: string, env: NodeJS.ProcessEnv, authorities: string): ToolEnvironment {
  const { hosts, user, password, database, tls, options } = parseDatabaseAddress(databaseUrl)
  // Others, such as PGSERVICE and PGHOSTADDR, could name another server than the address.
  const inherited = Object.entries(env).filter(([name]) => /^(PGPASSFILE|PATH|HOME)$/.test(name))
  const given = {
    PGHOST: hosts[0].host,
    PGPORT: String(hosts[0].port),
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: database,
    PGOPTIONS: options,
    ...tlsVariables(tls, authorities),
    PGAPPNAME: 'voucher-service keep',
    // The output is read by this program, so it must not depend on the language or the time zone of the machine.
    LC_ALL: 'C',
    TZ: 'UTC',
  }
  return Object.fromEntries(
    [...inherited, ...Object.entries(given)].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function tlsVariables(tls: DatabaseTls | undefined, authorities: string): Record<string, string | undefined> {
  if (!tls) return { PGSSLMODE: 'disable' }
  const { sslmode, sslrootcert = 'system', sslcert, sslkey, sslnegotiation } = tls
  const files = { PGSSLCERT: sslcert, PGSSLKEY: sslkey, PGSSLNEGOTIATION: sslnegotiation }
  // With `require`, libpq checks nothing, unless it finds a file of authorities. An empty name would mean the one in HOME.
  if (sslmode === 'no-verify') return { PGSSLMODE: 'require', PGSSLROOTCERT: '/no/authorities', ...files }
  return { PGSSLMODE: sslmode, PGSSLROOTCERT: sslrootcert === 'system' ? authorities : sslrootcert, ...files }
}

/** Rejects a program that is missing, or older than the PostgreSQL that it has to work with. */
export async function checkTool(tool: Tool, env: ToolEnvironment, neededMajor: number): Promise<void> {
  const version = await readVersion(tool, env)
  const install = `Install the client programs of PostgreSQL ${neededMajor} or newer (on Debian and Ubuntu: \`apt-get install postgresql-client-${neededMajor}\`), and run this command again.`
  if (version === undefined) throw new CommandRefused(`The program ${tool} was not found. ${install}`)
  if (version < neededMajor)
    throw new CommandRefused(
      `${tool} has version ${version}, which is too old for PostgreSQL ${neededMajor}. ${install}`,
    )
}

async function readVersion(tool: Tool, env: ToolEnvironment): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)(tool, ['--version'], { env })
    return Number(/ (\d+)/.exec(stdout)?.[1] ?? Number.NaN)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const stopSignals = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs a program to its end and returns its output. Rejects with the program's own words when it fails. A signal stops the program
 * first, so that the caller can remove what it has written.
 */
export async function runTool(tool: Tool, args: string[], env: ToolEnvironment): Promise<string> {
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  for (const signal of stopSignals) process.on(signal, pass) // before the program runs, so that no signal comes too early
  const child = spawn(tool, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const [code, signal] = await ended.finally(() => {
    for (const each of stopSignals) process.off(each, pass)
  })
  if (code !== 0) throw new CommandRefused(`${tool} failed: ${stderr.trim() || `it ended with ${code ?? signal}`}`)
  return stdout
}
