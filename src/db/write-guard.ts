import { setTimeout as pause } from 'node:timers/promises'
import { commitsUnconfirmed, type Queryable, tcpKeepAlive, Unavailable } from './database.ts'
import { DatabaseClient } from './database-client.ts'

/**
 * Stops the writes of a process while PostgreSQL does not confirm commits, e.g. because its synchronous standby is gone. Each
 * commit that a client gives up leaves a server process that waits for the standby. Without this guard these use up all
 * connections, and then reading fails too.
 */
export type WriteGuard = {
  /** Throws `WritesStopped` while writes are stopped. */
  rejectIfStopped(): void
  /** Counts a commit that was sent and not answered in time. The second one in a minute stops all writes until a probe is confirmed. */
  commitAbandoned(): void
  /**
   * Counts a write that the server cancelled after a commit was abandoned: it may have waited for a lock of that commit. Other
   * writes that wait too long are not counted.
   */
  lockTimedOut(): void
  isStopped(): boolean
  close(): Promise<void>
}

/** This process sends no writes at present. Nothing was sent. */
export class WritesStopped extends Unavailable {
  override name = 'WritesStopped'
}

const abandonedUntilStopped = 2
/** Two answers that were lost in the network at different times say nothing about the standby. */
const countedForMs = 60_000
const pauseMs = 500
const connectWithinMs = 2_000
/** The server ends a probe whose connection went silent before the commit. */
const idleTimeoutMs = 10_000
/** The timeout of statements that do not wait for a standby. node-postgres accepts it for each statement, but its types do not list it. */
const answerTimeout = { query_timeout: 5_000 }
/** A probe whose server process is gone is given up after this many checks, one every `pauseMs`. */
const checksUntilLost = 4

type GuardOptions = {
  url: string
  /** A pool for reading. The probe does not use it. */
  db: Queryable
  onChange: (isStopped: boolean) => void
}

export function createWriteGuard({ url, db, onChange }: GuardOptions): WriteGuard {
  const closing = new AbortController()
  let abandoned = 0
  let abandonedAt = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | undefined

  /**
   * Writes one record after another until one is confirmed. A probe is not given up while its commit waits, so this process
   * adds only one waiting server process. Never terminate a probe: its commit would become visible without being on a
   * standby.
   */
  async function probeUntilConfirmed(): Promise<void> {
    while (!closing.signal.aborted) {
      const isConfirmed = await probe({ url, db, closing: closing.signal }).catch(() => false)
      if (isConfirmed) return
      await pause(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  async function stopWrites(): Promise<void> {
    onChange(true)
    await probeUntilConfirmed()
    abandoned = 0
    probing = undefined
    if (!closing.signal.aborted) onChange(false)
  }

  function countAbandoned(): void {
    const now = performance.now()
    if (now - abandonedAt > countedForMs) abandoned = 0
    abandonedAt = now
    abandoned += 1
    if (abandoned >= abandonedUntilStopped && !closing.signal.aborted) probing ??= stopWrites()
  }

  return {
    rejectIfStopped() {
      if (probing !== undefined) throw new WritesStopped(commitsUnconfirmed)
    },
    commitAbandoned: countAbandoned,
    lockTimedOut() {
      if (abandoned > 0 && performance.now() - abandonedAt <= countedForMs) countAbandoned()
    },
    isStopped: () => probing !== undefined,
    async close() {
      closing.abort()
      await probing
    },
  }
}

type ProbeOptions = { url: string; db: Queryable; closing: AbortSignal }

/** True when PostgreSQL has confirmed a commit that wrote to its log. */
async function probe({ url, db, closing }: ProbeOptions): Promise<boolean> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'voucher-service write probe',
    connectionTimeoutMillis: connectWithinMs,
    idle_in_transaction_session_timeout: idleTimeoutMs, // does not apply to a commit that waits
    ...tcpKeepAlive,
  })
  client.on('error', () => {}) // the statement under way fails too
  await client.connect()
  const ended = new AbortController()
  try {
    await client.query({ text: 'begin', ...answerTimeout })
    // The record is a message in the write-ahead log, so no table is needed.
    const text = `select pg_backend_pid() as pid, pg_logical_emit_message(true, 'voucher-service', 'write probe')`
    const { rows } = await client.query<{ pid: number }>({ text, ...answerTimeout })
    const isConfirmed = client.query('commit').then(() => true)
    const isLost = untilLost(db, rows[0]?.pid, AbortSignal.any([closing, ended.signal])).then(() => false)
    return await Promise.race([isConfirmed, isLost])
  } finally {
    ended.abort()
    client.end().catch(() => {}) // nobody waits for it: a silent connection would never end
  }
}

/** Returns when the server process of a probe is gone, e.g. after a failover whose connections end silently, or on `signal`. */
async function untilLost(db: Queryable, pid: number | undefined, signal: AbortSignal): Promise<void> {
  for (let missing = 0; missing < checksUntilLost && !signal.aborted; ) {
    await pause(pauseMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const { rowCount } = await db
      // The state is null for a session of another role, and `disabled` without `track_activities`.
      .query(`select from pg_stat_activity where pid = $1 and coalesce(state, 'disabled') in ('active', 'disabled')`, [
        pid,
      ])
      .catch(() => ({ rowCount: 1 })) // unknown: PostgreSQL does not answer
    missing = rowCount === 0 ? missing + 1 : 0
  }
}
