import { setTimeout as pause } from 'node:timers/promises'
import { replaceable } from '#lib/points.ts'
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
  /** Counts a commit that was sent and not answered in time. The second one stops all writes until a probe is confirmed. */
  commitAbandoned(): void
  isStopped(): boolean
  close(): Promise<void>
}

/** This process sends no writes at present. Nothing was sent. */
export class WritesStopped extends Unavailable {
  override name = 'WritesStopped'
}

const abandonedUntilStopped = 2
const pauseMs = 500
const connectWithinMs = 2_000
/** For statements that need no standby. node-postgres accepts it for each statement, but its types do not list it. */
const answerTimeout = { query_timeout: 5_000 }
/** A probe whose server process is gone is given up after this many checks, one every `pauseMs`. */
const checksUntilLost = 4

type GuardOptions = {
  url: string
  /** Reads from other connections than the probe. */
  db: Queryable
  onChange: (isStopped: boolean) => void
}

export function createWriteGuard({ url, db, onChange }: GuardOptions): WriteGuard {
  const closing = new AbortController()
  let abandoned = 0
  let probing: Promise<void> | undefined

  /**
   * Writes one record after another until one is confirmed. A probe is not given up while its commit waits, so this process
   * adds only one waiting server process. It is never terminated either: then its commit would become visible although no
   * standby has it.
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

  return {
    rejectIfStopped() {
      if (probing !== undefined) throw new WritesStopped(commitsUnconfirmed)
    },
    commitAbandoned() {
      abandoned = replaceable('count abandoned commit', () => abandoned + 1)
      if (abandoned >= abandonedUntilStopped && !closing.signal.aborted) probing ??= stopWrites()
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
      .query(`select from pg_stat_activity where pid = $1 and state = 'active'`, [pid])
      .catch(() => ({ rowCount: 1 })) // unknown: PostgreSQL does not answer
    missing = rowCount === 0 ? missing + 1 : 0
  }
}
