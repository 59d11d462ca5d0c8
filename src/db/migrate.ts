import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { type Queryable, tcpKeepAlive, throwUnavailable } from './database.ts'

const directory = fileURLToPath(new URL('migrations', import.meta.url))

/** Applies the missing migrations and returns their names. Processes that start at the same time wait for each other. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const dbClient = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'voucher-service migrate',
    connectionTimeoutMillis: 10_000,
    ...tcpKeepAlive, // no query timeout: an index on millions of rows takes minutes
  })
  dbClient.on('error', ignore) // the running statement fails with the same error
  await dbClient.connect().catch(throwUnavailable)
  try {
    const applied = await runner({
      dbClient,
      dir: directory,
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

const newest = readdirSync(directory).sort().at(-1)?.replace('.sql', '')

/** The newest migration, if the database does not have it. Undefined when the database is up to date. */
export async function findMissingMigration(db: Queryable): Promise<string | undefined> {
  const { rows: tables } = await db.query<{ found: boolean }>(`select to_regclass('migrations') is not null as found`)
  if (!tables[0]?.found) return newest
  const { rows } = await db.query(`select 1 from migrations where name = $1`, [newest])
  return rows.length === 0 ? newest : undefined
}

function ignore(): void {}
