import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type MigrationBuilder, runner } from 'node-pg-migrate'
import { type BreakingMigration, findBreaking, insertBreaking, readBreaking } from './breaking-migrations.queries.ts'
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
      migrationLoaderStrategies: [{ extensions: ['.sql'], loader: (paths) => Promise.all(paths.map(loadMigration)) }],
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    })
    return applied.map((migration) => migration.name)
  } finally {
    await dbClient.end()
  }
}

/** A migration that breaks older versions says so in the database in its own transaction. */
async function loadMigration(path: string) {
  const sql = await readFile(path, 'utf8')
  const breaking = readBreaking(basename(path, '.sql'), sql)
  const up = (pgm: MigrationBuilder) => {
    pgm.sql(sql)
    if (breaking) pgm.sql(insertBreaking(breaking))
  }
  return { id: path, filePaths: [path], actions: { up, down: false as const } }
}

const known = readdirSync(directory)
  .sort()
  .map((file) => file.replace('.sql', ''))
const newest = known.at(-1)

/** Why this version does not work with the database: a migration is missing, or a newer version applied one that breaks it. */
type Misfit = { missing: string } | { breaking: BreakingMigration }

/** Undefined when this version works with the database. */
export async function findMisfit(db: Queryable): Promise<Misfit | undefined> {
  const missing = await findMissingMigration(db)
  if (missing !== undefined) return { missing }
  const breaking = await findBreaking(db)
  return breaking && { breaking }
}

/** The newest migration, if the database does not have it. */
async function findMissingMigration(db: Queryable): Promise<string | undefined> {
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

/** Those of the migrations of this version that break older versions. */
export async function listBreaking(names: string[]): Promise<BreakingMigration[]> {
  const read = names.map(async (name) => readBreaking(name, await readFile(join(directory, `${name}.sql`), 'utf8')))
  return (await Promise.all(read)).filter((breaking) => breaking !== undefined)
}

function ignore(): void {}
