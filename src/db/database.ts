import pg from 'pg'
import { Unavailable } from '#lib/unavailable.ts'

/** A pool or one transaction: queries do not care which. */
export type Queryable = {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
}

export type Database = Queryable & {
  /** Commits when the work returns, rolls back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const connectTimeoutMs = 2_000
const queryTimeoutMs = 5_000

export function connectDatabase(options: { url: string; poolSize: number; onError: (error: Error) => void }): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: 'voucher-service',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
  })
  pool.on('error', options.onError) // an idle connection died; the pool replaces it

  return {
    query: (text, values) => pool.query(text, values).catch(rethrow),
    async transaction(work) {
      const client = await pool.connect().catch(rethrow)
      let broken: Error | undefined
      try {
        await client.query('begin')
        const result = await work(client)
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback').catch((failure) => {
          broken = failure
        })
        return rethrow(error)
      } finally {
        client.release(broken)
      }
    },
    close: () => pool.end(),
  }
}

/** Connection loss, shutdown, recovery and exhaustion are one thing to callers: the store is out of reach. */
export function rethrow(error: unknown): never {
  if (isUnavailable(error)) throw new Unavailable('PostgreSQL is out of reach', { cause: error })
  throw error
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Unavailable) return false
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string') return /^(E[A-Z_]{3,}|08...|57P0.|53...|25006)$/.test(code)
  return /timeout|connection terminated|connection ended|not queryable/i.test(error.message)
}
