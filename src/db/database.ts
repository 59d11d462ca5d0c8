import pg from 'pg'
import { Unavailable } from '#lib/unavailable.ts'

/** A pool or one transaction: queries do not care which. */
export type Queryable = {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
}

export type Database = Queryable & {
  /** Commits when the work returns, rolls back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  /** Why the last write failed, if the database takes no writes; undefined again once a write has succeeded. */
  writesRefusedBecause(): string | undefined
  close(): Promise<void>
}

/**
 * TCP asks a peer that was silent for 10 s whether it is still there, and gives it up after 10 s more. Without the delay
 * Linux waits two hours before it asks. A peer that answers TCP but nothing else needs a query timeout as well.
 */
export const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

export const readOnly = 'the database is read-only'

const queryTimeoutMs = 5_000
/** The server gives up first: a statement that only we gave up would go on and hold its connection. */
const serverMarginMs = 500

const writeRefusals: Record<string, string> = {
  '25006': readOnly,
  '53100': 'the disk of the database is full',
}
const writingCommands = ['INSERT', 'UPDATE', 'DELETE', 'MERGE']

type DatabaseOptions = {
  url: string
  poolSize: number
  onError: (error: Error) => void
  name?: string
  timeoutMs?: number
  /** This many connections stay open when they are idle. */
  minIdle?: number
  /** Settings of the server for these connections. */
  settings?: Record<string, string>
}

export function connectDatabase(options: DatabaseOptions): Database {
  const { timeoutMs = queryTimeoutMs } = options
  const serverTimeoutMs = timeoutMs - serverMarginMs
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    min: options.minIdle ?? 0,
    application_name: options.name ?? 'voucher-service',
    // This timer also runs while our own process gets no processor time: with 3,200 requests at once on two overloaded
    // processors, waits of 3.1 s were measured on a healthy PostgreSQL.
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: serverTimeoutMs,
    lock_timeout: serverTimeoutMs,
    idle_in_transaction_session_timeout: 2 * serverTimeoutMs,
    query_timeout: timeoutMs,
    options: Object.entries(options.settings ?? {})
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    ...tcpKeepAlive,
  })
  let writesRefusedBecause: string | undefined
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
      writesRefusedBecause =
        writeRefusals[String((error as { code?: unknown } | undefined)?.code)] ?? writesRefusedBecause
      if (isOutOfReach(error)) {
        if (!isAnswer(error)) broken ??= error as Error
        return outOfReach(error)
      }
      throw error
    } finally {
      client.off('error', onBroken)
      client.release(broken)
    }
  }

  /** Notes that a write went through. One that changed no row proves nothing: it needs no space on the disk. */
  async function query<Row extends pg.QueryResultRow>(client: pg.PoolClient, text: string, values?: unknown[]) {
    const result = await client.query<Row>(text, values)
    if (writingCommands.includes(result.command) && result.rowCount) writesRefusedBecause = undefined
    return result
  }

  return {
    query: (text, values) => withClient((client) => query(client, text, values)),
    transaction: (work) =>
      withClient(async (client, giveUp) => {
        await client.query('begin')
        try {
          const result = await work({ query: (text, values) => query(client, text, values) })
          await client.query('commit')
          return result
        } catch (error) {
          await client.query('rollback').catch(giveUp) // else the next user would find himself inside
          throw error
        }
      }),
    writesRefusedBecause: () => writesRefusedBecause,
    close: () => pool.end(),
  }
}

export async function isReachable(db: Queryable): Promise<boolean> {
  return db.query('select 1').then(
    () => true,
    () => false,
  )
}

/** True on a standby, and where the server or the database was set read-only. */
export async function isReadOnly(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ readOnly: boolean }>(
    `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly"`,
  )
  return rows[0]?.readOnly === true
}

export function outOfReach(cause: unknown): never {
  throw new Unavailable('PostgreSQL is out of reach', { cause })
}

/** True when the server answered with an error, such as a cancelled statement or a deadlock: the connection still works. */
function isAnswer(error: unknown): boolean {
  return ['57014', '55P03', '53100', '25006', '40P01', '40001'].includes(String((error as { code?: unknown }).code))
}

/**
 * Lost connections, shutdown, recovery, exhaustion, timeouts, deadlocks and serialization failures are the same to callers:
 * they can retry later.
 */
function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string')
    return /^(E(?!RR_)[A-Z_]{3,}|08...|57P0.|57014|55P03|53...|25006|40P01|40001)$/.test(code)
  return /timeout|connection terminated|connection ended|not queryable/i.test(error.message)
}
