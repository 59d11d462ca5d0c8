import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { CommandRefused } from '../terminal/refusals.ts'

type Tool = 'pg_dump' | 'pg_restore'

/** PostgreSQL's own settings, as its programs read them from the environment. The process list does not show them. */
export type ToolEnvironment = Record<string, string>

/** Parameters of a database address that PostgreSQL's programs read from these variables. */
const variables: Record<string, string> = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  dbname: 'PGDATABASE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  options: 'PGOPTIONS',
}

/** Translates a database address into an environment. The other settings of the service, such as its keys, are left out. */
export function toolEnvironment(databaseUrl: string, env: NodeJS.ProcessEnv): ToolEnvironment {
  const url = new URL(databaseUrl)
  const parameters: Record<string, string> = {
    ...(url.hostname && { host: decode(url.hostname).replace(/^\[(.*)\]$/, '$1') }),
    ...(url.port && { port: url.port }),
    ...(url.username && { user: decode(url.username) }),
    ...(url.password && { password: decode(url.password) }),
    ...(url.pathname.length > 1 && { dbname: decode(url.pathname.slice(1)) }),
    ...Object.fromEntries(url.searchParams),
  }
  if (parameters['sslmode'] === 'no-verify') parameters['sslmode'] = 'require' // the name in node-postgres
  // The first five fill gaps of the address in node-postgres too. Others, such as PGSERVICE and PGHOSTADDR, could name another
  // server than the address.
  const inherited = Object.entries(env).filter(([name]) =>
    /^(PGHOST|PGPORT|PGUSER|PGPASSWORD|PGDATABASE|PGPASSFILE|PGSSL[A-Z]+|PATH|HOME)$/.test(name),
  )
  const given = Object.entries(parameters).flatMap(([name, value]) => {
    const variable = variables[name]
    return variable === undefined ? [] : [[variable, value]]
  })
  // The output is read by this program, so it must not depend on the language or the time zone of the machine.
  return { ...Object.fromEntries([...inherited, ...given]), PGAPPNAME: 'voucher-service keep', LC_ALL: 'C', TZ: 'UTC' }
}

/** Decodes a part of an address. Like node-postgres, takes a text as it is if a `%` in it begins no code. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
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
