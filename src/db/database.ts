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
/** The server gives up first: a statement that only we gave up would go on and hold its connection. */
const serverTimeoutMs = 4_500
const queryTimeoutMs = 5_000

export function connectDatabase(options: { url: string; poolSize: number; onError: (error: Error) => void }): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: 'voucher-service',
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: serverTimeoutMs,
    lock_timeout: serverTimeoutMs,
    idle_in_transaction_session_timeout: 2 * serverTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
  })
  // An idle connection died; the pool replaces it. The whole client hangs on the error: nothing for a log.
  pool.on('error', (error) => {
    Reflect.deleteProperty(error, 'client')
    options.onError(error)
  })

  /** Lends a connection; one that broke meanwhile is thrown away instead of bringing the process down. */
  async function withClient<T>(
    work: (client: pg.PoolClient, giveUp: (error: Error) => void) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect().catch(outOfReach)
    let broken: Error | undefined
    const onBroken = (error: Error) => {
      broken = error
    }
    client.on('error', onBroken)
    try {
      return await work(client, onBroken)
    } catch (error) {
      if (isOutOfReach(error)) {
        broken ??= error as Error
        return outOfReach(error)
      }
      throw error
    } finally {
      client.off('error', onBroken)
      client.release(broken)
    }
  }

  return {
    query: (text, values) => withClient((client) => client.query(text, values)),
    transaction: (work) =>
      withClient(async (client, giveUp) => {
        await client.query('begin')
        try {
          const result = await work(client)
          await client.query('commit')
          return result
        } catch (error) {
          await client.query('rollback').catch(giveUp) // else the next user would find himself inside
          throw error
        }
      }),
    close: () => pool.end(),
  }
}

export function outOfReach(cause: unknown): never {
  throw new Unavailable('PostgreSQL is out of reach', { cause })
}

/** Connection loss, shutdown, recovery, exhaustion and timeouts are one thing to callers: waiting helps. */
function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string') return /^(E(?!RR_)[A-Z_]{3,}|08...|57P0.|57014|55P03|53...|25006)$/.test(code)
  return /timeout|connection terminated|connection ended|not queryable/i.test(error.message)
}
