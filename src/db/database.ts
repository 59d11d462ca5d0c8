import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Clock } from '#lib/clock.ts'
import { DatabaseClient } from './database-client.ts'
import { startupOptions } from './session-settings.ts'
import type { WriteGuard } from './write-guard.ts'

/**
 * A statement with a name is parsed and planned once per connection, instead of every time. Use a name for statements
 * that run with every request. The lookup of a key took 263 µs of PostgreSQL's processor time without a name, and 27
 * with one.
 */
export type NamedStatement = { name: string; text: string }

/** A time `at time zone 'UTC'` in ISO 8601: `2026-11-14 09:30:00.5` becomes `2026-11-14T09:30:00.500Z`. */
export function isoOf(text: string): string {
  if (text[10] !== ' ') return new Date(`${text}Z`).toISOString() // a year beyond 9999
  const fraction = text.length === 19 ? '.000' : text.slice(19).padEnd(4, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}Z`
}

/** A pool or a transaction. Queries accept both. */
export type Queryable = {
  query<Row extends pg.QueryResultRow>(
    statement: string | NamedStatement,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>
  /** Only transactions have it. `run` is called once the transaction has committed, and never if it rolls back. */
  afterCommit?(run: () => void): void
}

export type Database = Queryable & {
  /** Commits when `work` returns, rolls back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  /** Runs statements that only read. All of them see the data as of the first one. */
  snapshot<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  /**
   * The reason why the database rejects writes, or why this process sends none. Undefined until a write was rejected, and again
   * after one succeeded.
   */
  writesRefusedBecause(): string | undefined
  /** How many connections are open and idle, and how many callers wait for one. */
  poolUse(): { limit: number; open: number; idle: number; waiting: number }
  close(): Promise<void>
}

/** PostgreSQL cannot be reached, or Redis cannot be reached to count a request. A retry may succeed. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}

/**
 * TCP probes a peer that was silent for 10 s, and closes the connection 10 s later if there is no answer. By default, Linux
 * waits two hours before it probes. A query timeout is needed as well, for a peer that answers on the level of TCP only.
 */
export const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** Startup options for migrations, which may take minutes. They override timeouts that an operator has set for the role. */
export const noTimeouts = startupOptions({
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
})

export const readOnly = 'the database is read-only'
export const commitsUnconfirmed = 'the database does not confirm commits; check its synchronous standby'

const queryTimeoutMs = 5_000
/**
 * The server's timeout is shorter by this much. A statement that only the client gives up would continue on the server and
 * hold its connection.
 */
const serverMarginMs = 500

const checkWritableEveryMs = 5_000

const writeRefusals: Record<string, string> = {
  '25006': readOnly,
  '53100': 'the disk of the database is full',
}
const writingCommands = ['INSERT', 'UPDATE', 'DELETE', 'MERGE']

/**
 * A new connection is slow at first: its first insertion into each partition of the vouchers reads 480 pages of the catalog,
 * the next ones read 20. So a connection outlives a pause between two guests.
 */
const idleTimeoutMs = 60_000

export type DatabaseOptions = {
  url: string
  poolSize: number
  onError: (error: Error) => void
  name?: string
  timeoutMs?: number
  /** Number of idle connections that stay open. */
  minIdle?: number
  /** PostgreSQL settings for these connections. */
  settings?: Record<string, string>
  /** False for a pooler that does not keep named statements with a connection. Statements are then sent without their names. */
  preparedStatements?: boolean
  /** Stops writes while the database does not confirm commits. Connections that only read, or only count, need none. */
  writes?: WriteGuard
}

export function connectDatabase(options: DatabaseOptions): Database {
  const { timeoutMs = queryTimeoutMs, preparedStatements = true, writes } = options
  const serverTimeoutMs = timeoutMs - serverMarginMs
  const pool = new pg.Pool({
    Client: DatabaseClient,
    connectionString: options.url,
    max: options.poolSize,
    min: options.minIdle ?? 0,
    idleTimeoutMillis: idleTimeoutMs,
    application_name: options.name ?? 'voucher-service',
    // This timer also runs while our own process gets no processor time. With 3,200 requests at once on two overloaded
    // processors, waits of 3.1 s were measured although PostgreSQL was healthy.
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: serverTimeoutMs,
    lock_timeout: serverTimeoutMs,
    idle_in_transaction_session_timeout: 2 * serverTimeoutMs,
    query_timeout: timeoutMs,
    options: startupOptions(options.settings ?? {}),
    ...tcpKeepAlive,
  })
  let writesRefusedBecause: string | undefined
  let isWaitingForWrites = false
  // An idle connection broke; the pool replaces it. The error carries the whole client, which must not go into the log.
  pool.on('error', (error) => {
    Reflect.deleteProperty(error, 'client')
    options.onError(error)
  })

  /**
   * Lends a connection. A connection that breaks during the work is closed. Without the listener, its `error` event would end
   * the process.
   */
  async function withClient<T>(
    work: (client: pg.PoolClient, giveUp: (error: Error) => void) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect().catch(throwUnavailable)
    let broken: Error | undefined
    const onBroken = (error: Error) => {
      broken = error
    }
    client.on('error', onBroken)
    try {
      return await work(client, onBroken)
    } catch (error) {
      writesRefusedBecause = writeRefusals[codeOf(error)] ?? writesRefusedBecause
      if (writesRefusedBecause === readOnly && !isWaitingForWrites) void waitUntilWritable()
      if (isUnavailable(error)) {
        // A read-only server was the primary once: the next connection may find the new one.
        if (!isAnswer(error)) broken ??= error as Error
        return throwUnavailable(error)
      }
      throw error
    } finally {
      client.off('error', onBroken)
      if (broken && client instanceof DatabaseClient) client.doubtServer()
      client.release(broken)
    }
  }

  /**
   * Runs a statement and notes a write that succeeded. A write that changed no row proves nothing, because it needs no space
   * on the disk.
   */
  async function query<Row extends pg.QueryResultRow>(
    client: pg.PoolClient,
    statement: string | NamedStatement,
    values?: unknown[],
  ) {
    const result = await client.query<Row>(preparedStatements ? statement : withoutName(statement), values)
    if (writingCommands.includes(result.command) && result.rowCount) writesRefusedBecause = undefined
    return result
  }

  /** Runs a statement outside a transaction. A statement that writes commits by itself. */
  async function queryAlone<Row extends pg.QueryResultRow>(statement: string | NamedStatement, values?: unknown[]) {
    return withClient((client, giveUp) => {
      if (writes?.isStopped() && isWrite(statement)) writes.rejectIfStopped()
      return query<Row>(client, statement, values).catch((error) => {
        if (isWrite(statement)) noteFailedWrite(error)
        if (beginsTransaction(statement)) giveUp(error)
        throw error
      })
    })
  }

  function noteFailedWrite(error: unknown): void {
    if (wasUnanswered(error)) writes?.commitAbandoned()
    else if (hasWaitedTooLong(error)) writes?.lockTimedOut()
  }

  async function commit(client: pg.PoolClient): Promise<void> {
    try {
      await client.query('commit')
    } catch (error) {
      if (wasUnanswered(error)) writes?.commitAbandoned()
      throw error
    }
  }

  function transaction<T>(begin: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return withClient(async (client, giveUp) => {
      if (begin === 'begin') writes?.rejectIfStopped()
      const onCommitted: (() => void)[] = []
      let result: T
      await client.query(begin)
      try {
        result = await work({
          query: (statement, values) => query(client, statement, values),
          afterCommit: (run) => onCommitted.push(run),
        })
        await commit(client)
      } catch (error) {
        if (hasWaitedTooLong(error)) writes?.lockTimedOut()
        await client.query('rollback').catch(giveUp) // otherwise the next borrower would be inside this transaction
        throw error
      }
      for (const run of onCommitted) run()
      return result
    })
  }

  /** Notices that the database is no longer read-only, even if nobody writes. Only a write shows that a full disk has space again. */
  async function waitUntilWritable(): Promise<void> {
    isWaitingForWrites = true
    while (writesRefusedBecause === readOnly) {
      await pause(checkWritableEveryMs, undefined, { ref: false })
      if (pool.ending) return
      const isStillReadOnly = await isReadOnly({ query: queryAlone }).catch(() => true)
      if (writesRefusedBecause === readOnly && !isStillReadOnly) writesRefusedBecause = undefined
    }
    isWaitingForWrites = false
  }

  return {
    query: queryAlone,
    transaction: (work) => transaction('begin', work),
    snapshot: (work) => transaction('begin isolation level repeatable read read only', work),
    writesRefusedBecause: () => (writes?.isStopped() ? commitsUnconfirmed : writesRefusedBecause),
    poolUse: () => ({
      limit: options.poolSize,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  }
}

/** True when a statement outside a transaction commits rows. A lock (`for update`) outside a transaction has no use. */
export function isWrite(statement: string | NamedStatement): boolean {
  const text = typeof statement === 'string' ? statement : statement.text
  return /\b(insert\s+into|delete\s+from|merge\s+into|(?<!\bfor\s+|\bkey\s+)update\s+["\w])/i.test(text)
}

/** The code of an error of PostgreSQL or of the system; empty if it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** True when this process gave up waiting. The server may still be at work: its own timeout does not end a commit. */
function wasUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** True when PostgreSQL cancelled a statement, usually because it waited for a lock. */
function hasWaitedTooLong(error: unknown): boolean {
  return ['57014', '55P03'].includes(codeOf(error))
}

/**
 * True for a text such as `begin; …; commit`, which pg-boss sends. If it fails, its connection is still inside the transaction,
 * and every statement of the next borrower would fail.
 */
function beginsTransaction(statement: string | NamedStatement): boolean {
  return typeof statement === 'string' && /^\s*begin\b/i.test(statement)
}

function withoutName(statement: string | NamedStatement): string | { text: string } {
  if (typeof statement === 'string') return statement
  const { name: _, ...unnamed } = statement
  return unnamed
}

export async function isReachable(db: Queryable): Promise<boolean> {
  return db.query('select 1').then(
    () => true,
    () => false,
  )
}

/** For `catch`: undefined if another row has a value that must be unique, such as a name. The transaction is aborted then. */
export function undefinedIfTaken(error: unknown): undefined {
  if (codeOf(error) !== '23505') throw error
}

/** True on a standby, and when the server or the database is set to read-only. */
export async function isReadOnly(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ readOnly: boolean }>(
    `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly"`,
  )
  return rows[0]?.readOnly === true
}

export function throwUnavailable(cause: unknown): never {
  throw new Unavailable(isDeadlock(cause) ? deadlock : 'PostgreSQL cannot be reached', { cause })
}

const deadlock = 'PostgreSQL rolled the transaction back because of a deadlock'

function isDeadlock(error: unknown): boolean {
  return codeOf(error) === '40P01'
}

/** True when the server itself sent the error, e.g. for a cancelled statement or a deadlock, and the connection is still of use. */
function isAnswer(error: unknown): boolean {
  return ['57014', '55P03', '53100', '40P01', '40001'].includes(codeOf(error))
}

/**
 * True for lost connections, shutdown, recovery, exhaustion, timeouts, deadlocks and serialization failures. To callers, they
 * are all the same: a retry may succeed.
 */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (code !== '') return /^(E(?!RR_)[A-Z_]{3,}|08...|57P0.|57014|55P03|53...|25006|40P01|40001)$/.test(code)
  return /timeout|connection terminated|connection ended|not queryable/i.test(error.message)
}

const maxDeadlocks = 3

/** Repeats a transaction that PostgreSQL rolled back because of a deadlock. `work` must change nothing but the database. */
export async function transactionDespiteDeadlocks<T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      const isOver = attempt > maxDeadlocks || !(error instanceof Unavailable && isDeadlock(error.cause))
      if (isOver) throw error
    }
  }
}

/** The pauses between the attempts of `retryShortly`. */
const pausesMs = [100, 400, 1_000]

/**
 * Retries a transaction that records something that has already happened elsewhere, so that a deadlock or a short outage of the
 * database does not lose the record. The transaction must notice when an earlier attempt was committed although its answer was
 * lost.
 */
export function retryTransaction<T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return retryShortly(() => db.transaction(work))
}

/** Like `retryTransaction`, for a single statement. */
export async function retryShortly<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await work()
    } catch {
      await pause(pauseMs)
    }
  }
  return work()
}

const failoverMs = 60_000
const failoverPauseMs = 3_000

/** Like `retryShortly`, but also through a restart or a failover of the database, unless the process is stopping. */
export async function retryThroughFailover<T>(work: () => Promise<T>, stopping: AbortSignal): Promise<T> {
  for (const endsAt = performance.now() + failoverMs; ; ) {
    try {
      return await retryShortly(work)
    } catch (error) {
      if (stopping.aborted || performance.now() > endsAt) throw error
      await pause(failoverPauseMs, undefined, { signal: stopping }).catch(() => {})
    }
  }
}

const sampleEveryMs = 15_000
/** Smaller differences are ignored. They can come from rounding and from the scheduling of two processes. */
const toleranceMs = 5

export type DatabaseClock = Clock & {
  /** Reads the database's time now, and from then on every 15 s. */
  start(): Promise<void>
  stop(): void
}

/**
 * Tells the database's time without a query for each call. The clock continues with this process' monotonic clock, so it
 * does not jump when somebody sets the time of this machine. Before the first sample it tells the machine's own time.
 */
export function createDatabaseClock(db: Queryable): DatabaseClock {
  let aheadOfMonotonicMs = Date.now() - performance.now()
  let sampled = false
  let timer: NodeJS.Timeout | undefined

  /**
   * A sample can be wrong by half of its round trip, because the server reads its clock at an unknown moment. So a sample
   * replaces the estimate only if the two differ by more than that and a small tolerance.
   */
  async function sample(): Promise<void> {
    const sentAt = performance.now()
    const { rows } = await db.query<{ now: Date }>('select clock_timestamp()::timestamptz(3) as now')
    const halfTripMs = (performance.now() - sentAt) / 2
    const measured = (rows[0] as { now: Date }).now.getTime() - (sentAt + halfTripMs)
    const contradicts = Math.abs(measured - aheadOfMonotonicMs) > halfTripMs + toleranceMs
    if (!sampled || contradicts) aheadOfMonotonicMs = measured
    sampled = true
  }

  return {
    now: () => new Date(aheadOfMonotonicMs + performance.now()),
    async start() {
      // When a sample fails, the old estimate stays in use.
      timer ??= setInterval(() => void sample().catch(() => {}), sampleEveryMs).unref()
      await sample()
    },
    stop: () => clearInterval(timer),
  }
}
