import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import { noTimeouts, type Queryable, tcpKeepAlive, throwUnavailable } from './database.ts'
import { DatabaseClient } from './database-client.ts'

const directory = fileURLToPath(new URL('migrations', import.meta.url))

/**
 * Applies the missing migrations and returns their names. Processes that start at the same time wait for each other. Migrations
 * that assign a time to a day use the time zone.
 */
export async function migrate(databaseUrl: string, timeZone = 'UTC', folder = directory): Promise<string[]> {
  const dbClient = new DatabaseClient({
    connectionString: databaseUrl,
    application_name: 'voucher-service migrate',
    connectionTimeoutMillis: 10_000,
    options: noTimeouts,
    ...tcpKeepAlive, // no query timeout: an index on millions of rows takes minutes
  })
  dbClient.on('error', ignore) // the running statement fails with the same error
  await dbClient.connect().catch(throwUnavailable)
  try {
    await dbClient.query(`select set_config('voucher_service.time_zone', $1, false)`, [timeZone])
    const applied = await runner({
      dbClient,
      dir: folder,
      direction: 'up',
      migrationsTable: 'migrations',
      advisoryLockMode: 'wait',
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    })
    return applied.map((migration) => migration.name)
  } finally {
    await dbClient.end()
  }
}

const known = readdirSync(directory)
  .sort()
  .map((file) => file.replace('.sql', ''))
const newest = known.at(-1)

/** The newest migration, if the database does not have it. Undefined when the database is up to date. */
export async function findMissingMigration(db: Queryable): Promise<string | undefined> {
  const { rows: tables } = await db.query<{ found: boolean }>(`select to_regclass('migrations') is not null as found`)
  if (!tables[0]?.found) return newest
  const { rows } = await db.query(`select 1 from migrations where name = $1`, [newest])
  return rows.length === 0 ? newest : undefined
}

/** `missing`: the database lacks them. `unknown`: only a newer version of the service has them. */
type MigrationState = { missing: string[]; unknown: string[] }

export async function compareMigrations(db: Queryable): Promise<MigrationState> {
  const { rows: tables } = await db.query<{ found: boolean }>(`select to_regclass('migrations') is not null as found`)
  if (!tables[0]?.found) return { missing: known, unknown: [] }
  const { rows } = await db.query<{ name: string }>('select name from migrations order by name')
  return compareWith(rows.map(({ name }) => name))
}

/** Compares these migrations, of a database or of a backup, with those of this version. */
export function compareWith(applied: string[]): MigrationState {
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  }
}

function ignore(): void {}
