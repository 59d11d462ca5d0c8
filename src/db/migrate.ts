import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type BreakingMigration, findBreaking, insertBreaking, readBreaking } from './breaking-migrations.queries.ts'
import { noTimeouts, type Queryable, tcpKeepAlive, throwUnavailable } from './database.ts'
import { DatabaseClient } from './database-client.ts'
import { lockPatienceMs, lockTimeoutMs, retryWhileLocked } from './retry-while-locked.ts'
import { isInSteps, runInSteps } from './run-in-steps.ts'

const directory = fileURLToPath(new URL('migrations', import.meta.url))

/** All versions take this advisory lock. Version 0.1.0 used node-pg-migrate, which has this number. */
export const migrationsLock = 7241865325823964

const pollMs = 200

type MigrateOptions = {
  /** Migrations that assign a time to a day use it. */
  timeZone?: string | undefined
  folder?: string
  /** How long a migration is retried while it gets no lock. */
  patienceMs?: number
}

/**
 * Applies the missing migrations and returns their names. Processes that start at the same time wait for each other. A migration
 * that does not get a lock soon is rolled back and retried, so that writes do not queue behind it.
 */
export async function migrate(
  databaseUrl: string,
  { timeZone = 'UTC', folder = directory, patienceMs = lockPatienceMs }: MigrateOptions = {},
): Promise<string[]> {
  const applied = new Set<string>()
  let latest = ''
  const patience = { patienceMs, name: () => latest }

  async function applyMissing(client: DatabaseClient): Promise<void> {
    await waitForOtherProcesses(client)
    await client.query(`select set_config('voucher_service.time_zone', $1, false)`, [timeZone])
    for (const name of await listMissing(client, listMigrations(folder))) {
      latest = name
      await apply(client, name)
      applied.add(name)
    }
  }

  async function apply(client: DatabaseClient, name: string): Promise<void> {
    const sql = readFileSync(join(folder, `${name}.sql`), 'utf8')
    const breaking = readBreaking(name, sql)
    if (isInSteps(sql)) {
      if (breaking) await insertBreaking(client, breaking) // older processes stop before the first step
      await runInSteps({ client, retry: (work) => retryWhileLocked(patience, work) }, sql)
      await noteApplied(client, name)
      return
    }
    await client.query('begin') // after an error, the connection is closed
    await client.query(sql)
    if (breaking) await insertBreaking(client, breaking)
    await noteApplied(client, name)
    await client.query('commit')
  }

  await retryWhileLocked(patience, () => withMigrationClient(databaseUrl, applyMissing))
  return [...applied]
}

/** The names of the migrations in a folder, in order. */
function listMigrations(folder: string): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return files.sort().map((file) => file.replace('.sql', ''))
}

/** Returns the migrations that the database lacks. Creates the table of migrations in a new database. */
async function listMissing(client: DatabaseClient, names: string[]): Promise<string[]> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `select to_regclass('public.migrations') is not null as found`,
  )
  if (!tables[0]?.found)
    await client.query(
      'create table public.migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)',
    )
  const { rows } = await client.query<{ name: string }>('select name from public.migrations order by run_on, id')
  for (const [index, { name }] of rows.entries())
    if (index < names.length && names[index] !== name)
      throw new Error(`The database has migration ${name}, but lacks ${names[index]}, which comes before it`)
  return names.slice(rows.length)
}

async function noteApplied(client: DatabaseClient, name: string): Promise<void> {
  await client.query('insert into public.migrations (name, run_on) values ($1, now())', [name])
}

async function withMigrationClient(
  connectionString: string,
  work: (client: DatabaseClient) => Promise<void>,
): Promise<void> {
  const client = new DatabaseClient({
    connectionString,
    application_name: 'voucher-service migrate',
    connectionTimeoutMillis: 10_000,
    options: `${noTimeouts} -c lock_timeout=${lockTimeoutMs}`,
    ...tcpKeepAlive, // no query timeout: an index on millions of rows takes minutes
  })
  client.on('error', () => {}) // the running statement fails with the same error
  await client.connect().catch(throwUnavailable)
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Takes the lock until the connection ends. Polls for it: if the process waited inside a statement, and another
 * process built an index concurrently, the build would wait for that statement, and the two would wait for each other. Version
 * 0.1.0 waits inside a statement. PostgreSQL then ends the build because of the deadlock, and the new process releases the lock
 * before it retries.
 */
async function waitForOtherProcesses(client: DatabaseClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isLocked: boolean }>('select pg_try_advisory_lock($1) as "isLocked"', [
      migrationsLock,
    ])
    if (rows[0]?.isLocked) return
    await pause(pollMs)
  }
}

const known = listMigrations(directory)
const newest = known.at(-1) as string

/** Why this version does not work with the database: a migration is missing, or a newer version applied one that breaks it. */
type Misfit = { missing: string } | { breaking: BreakingMigration }

/** Undefined when this version works with the database. */
export async function findMisfit(db: Queryable): Promise<Misfit | undefined> {
  if (!(await listApplied(db)).includes(newest)) return { missing: newest }
  const breaking = await findBreaking(db)
  return breaking && { breaking }
}

/** The names of the migrations that the database has, in order. None if it has no table of them. */
async function listApplied(db: Queryable): Promise<string[]> {
  const { rows: tables } = await db.query<{ found: boolean }>(`select to_regclass('migrations') is not null as found`)
  if (!tables[0]?.found) return []
  const { rows } = await db.query<{ name: string }>('select name from migrations order by name')
  return rows.map(({ name }) => name)
}

/** `missing`: the database lacks them. `unknown`: only a newer version of the service has them. */
type MigrationState = { missing: string[]; unknown: string[] }

export async function compareMigrations(db: Queryable): Promise<MigrationState> {
  return compareWith(await listApplied(db))
}

/** Compares these migrations, of a database or of a backup, with those of this version. */
export function compareWith(applied: string[]): MigrationState {
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  }
}

/** The given migrations that break older versions. */
export function listBreaking(names: string[]): BreakingMigration[] {
  const read = names.map((name) => readBreaking(name, readFileSync(join(directory, `${name}.sql`), 'utf8')))
  return read.filter((breaking) => breaking !== undefined)
}
