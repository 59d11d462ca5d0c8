import { PgBoss, type Queue as QueueOptions } from 'pg-boss'
import { connectDatabase, noTimeouts, type Queryable, tcpKeepAlive } from '#db/database.ts'
import { DatabaseClient } from '#db/database-client.ts'
import type { WriteGuard } from '#db/write-guard.ts'
import { type Fetcher, type JobLimits, type JobSource, startFetcher } from './fetcher.ts'
import { countWaitingJobs, takeJobs } from './jobs.queries.ts'
import { steadyClock } from './progress.ts'
import { createSender, type Listener, startListener } from './wake-ups.ts'

const queueSchema = 'pgboss'

/** The queues of the service and their options. A job is only data; the code in `worker/` processes it. */
const queues = {
  // Each attempt of a delivery has one job. pg-boss retries the job only when a worker died or the database was down. A failed
  // attempt enqueues a job for the next attempt. (The policy of a queue cannot be changed, so `attempt` replaced `deliver`.)
  attempt: { policy: 'exclusive', retryLimit: 3, retryDelay: 1 },
  // This queue takes the attempts for receivers that were slow last time, so that other receivers do not wait for them.
  attempt_slow: { policy: 'exclusive', retryLimit: 3, retryDelay: 1 },
  // Each site has at most one job. pg-boss does not retry it, because the row of the site says when the next sync is due.
  sync: { policy: 'exclusive', retryLimit: 0, expireInSeconds: 600 },
  // Each batch has at most one job. pg-boss does not retry it, because the next sweep starts the work anyway.
  batch: { policy: 'exclusive', retryLimit: 0, expireInSeconds: 60 },
  // Each site has at most one job of each kind. pg-boss does not retry it, because the next sweep starts the work anyway.
  withdraw: { policy: 'exclusive', retryLimit: 0, expireInSeconds: 300 },
} satisfies Record<string, Partial<QueueOptions>>

type QueueName = keyof typeof queues

/**
 * A job whose worker was killed is retried soon after its heartbeats stop. A job that succeeded is deleted at once. A
 * job that finally failed is deleted after an hour. pg-boss' own `notify` would put a NOTIFY into the transaction that
 * enqueues. With 1 ms more per flush, 350 such transactions committed in a second instead of 4,860.
 */
const forEveryQueue = { notify: false, heartbeatSeconds: 10, expireInSeconds: 60, deleteAfterSeconds: 3_600 }

/** A statement that gets no answer for this long is given up, so that a silent connection is replaced. */
const queryTimeoutMs = 10_000

/** A queue with the policy `exclusive` rejects a job while another job with the same `exclusiveKey` waits or runs. */
type NewJob = {
  data: object
  exclusiveKey?: string
  group?: string
  /** Contains several groups. Only a job with a group can have one. */
  widerGroup?: string | undefined
  startAfter?: Date | undefined
}

/** A job that a handler returns. It replaces the job of the handler, and may have the same `exclusiveKey`. */
export type Replacement = { queue: QueueName; job: NewJob }

/**
 * The listening worker is woken for new jobs. It polls for retries, for jobs that become due, and for jobs whose wake-up was
 * lost. The other workers poll to take jobs for which the listening worker has no free place.
 */
const pollMs = { listening: 1_000, otherwise: 2_000 }

type Handler<T> = (data: T) => Promise<Replacement | undefined> | Promise<void>

export type Queue = {
  /** Adds the jobs when the transaction commits, and then wakes a worker. Returns how many were accepted. */
  enqueue(tx: Queryable, name: QueueName, jobs: NewJob[]): Promise<number>
  work<T>(name: QueueName, limits: JobLimits, handle: Handler<T>): Promise<void>
  /** How many jobs of each group wait. A group without waiting jobs is left out. */
  countWaiting(name: QueueName): Promise<Map<string, number>>
  /** Whether this process is the listening worker. It also does the work that only one worker may do. */
  isElected(): boolean
  /** The time at which each queue of this process last made progress: it fetched, or a handler ran. */
  lastProgress(): Map<string, number>
  start(): Promise<void>
  /** Fetches no more jobs. Jobs that do not end within seconds are retried by other workers. `enqueue` still works. */
  stopWork(): Promise<void>
  stop(): Promise<void>
}

type QueueOptionsOfProcess = {
  url: string
  /** This process also retries the jobs of processes that died. Only workers do that. */
  supervise: boolean
  writes?: WriteGuard
  onError: (error: Error) => void
}

export function createQueue({ url, supervise, writes, onError }: QueueOptionsOfProcess): Queue {
  const name = 'voucher-service queue'
  const connection = { connectionString: url, application_name: name, query_timeout: queryTimeoutMs }
  const db = connectDatabase({ url, name, poolSize: 4, timeoutMs: queryTimeoutMs, onError, ...(writes && { writes }) })
  const boss = new PgBoss({
    db: { executeSql: (text, values) => db.query(text, values) },
    schema: queueSchema,
    clock: steadyClock,
    migrate: false,
    schedule: false,
    supervise,
    // With the defaults, a killed worker's job is retried only after minutes. Each pass also counts the jobs.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    // By default, a whole day of failed jobs is deleted in one statement, which could exceed its timeout.
    maintenanceIntervalSeconds: 600,
  })
  boss.on('error', onError)
  const fetchers = new Map<string, Fetcher>()
  const sender = createSender(db, onError)
  let started: Promise<unknown> | undefined
  let stopped: Promise<void> | undefined
  let listener: Listener | undefined

  async function stopWork(): Promise<void> {
    const parts = [listener, ...fetchers.values()]
    fetchers.clear()
    listener = undefined
    await Promise.all(parts.map((part) => part?.stop()))
  }

  async function stop(): Promise<void> {
    await stopWork()
    await sender.flush()
    if (started !== undefined) await boss.stop({ graceful: false })
    await db.close()
  }

  /** Wakes this process if it has a free place, and the listening worker otherwise. */
  function wake(name: QueueName): void {
    if (!fetchers.get(name)?.wake()) sender.send(name)
  }

  async function enqueue(tx: Queryable, name: QueueName, jobs: NewJob[]): Promise<number> {
    const ids = await boss.insert(
      name,
      jobs.map(({ data, exclusiveKey, group, widerGroup, startAfter }) => ({
        data,
        ...(exclusiveKey !== undefined && { singletonKey: exclusiveKey }),
        ...(group !== undefined && { group: { id: group, ...(widerGroup !== undefined && { tier: widerGroup }) } }),
        ...(startAfter && { startAfter: startAfter.toISOString() }),
      })),
      { ...within(tx), returnId: true },
    )
    const accepted = ids?.length ?? 0
    if (accepted > 0 && jobs.some(({ startAfter }) => !startAfter)) {
      if (tx.afterCommit) tx.afterCommit(() => wake(name))
      else wake(name)
    }
    return accepted
  }

  function jobSource<T>(name: QueueName, limits: JobLimits): JobSource<T, Replacement> {
    return {
      fetch: (limit, running) => takeJobs<T>(db, name, { limit, limits, running }),
      remove: (job) => boss.deleteJob(name, job),
      replace: (job, { queue, job: replacement }) =>
        db.transaction(async (tx) => {
          await boss.deleteJob(name, job, within(tx)) // first, because both may have the same exclusive key
          await enqueue(tx, queue, [replacement])
        }),
      fail: (jobs, error) => boss.fail(name, jobs, error as Error),
      touch: (jobs) => boss.touch(name, jobs),
    }
  }

  return {
    enqueue,
    async work<T>(name: QueueName, limits: JobLimits, handle: Handler<T>) {
      const source = jobSource<T>(name, limits)
      const expireMs = { ...forEveryQueue, ...queues[name] }.expireInSeconds * 1_000
      const poll = () => (listener?.isListening() ? pollMs.listening : pollMs.otherwise)
      fetchers.set(name, startFetcher(source, { limits, handle, expireMs, pollMs: poll, onError }))
      listener ??= startListener({
        connection,
        onWake: (queue) => fetchers.get(queue)?.wake(),
        onListening: () => [...fetchers.values()].map((fetcher) => fetcher.wake()),
        onError,
      })
    },
    countWaiting: (name) => countWaitingJobs(db, name),
    isElected: () => listener?.isElected() ?? false,
    lastProgress: () => new Map([...fetchers].map(([name, fetcher]) => [name, fetcher.lastProgress()])),
    async start() {
      started ??= boss.start()
      await started
    },
    stopWork,
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/** The option of pg-boss for a statement of this transaction. */
function within(tx: Queryable) {
  return { db: { executeSql: (text: string, values?: unknown[]) => tx.query(text, values) } }
}

/** Migrates the tables of pg-boss and creates or updates the queues. Part of `migrate`. */
export async function migrateQueue(url: string): Promise<void> {
  const boss = new PgBoss({
    connectionString: url,
    schema: queueSchema,
    supervise: false,
    schedule: false,
    max: 2,
    ...{ Client: DatabaseClient, options: noTimeouts }, // not in the types of pg-boss, which passes them on to its pool
    ...tcpKeepAlive, // no query timeout: an index on many jobs takes minutes
  })
  boss.on('error', () => {})
  await boss.start()
  for (const [name, behaviour] of Object.entries<Partial<QueueOptions>>(queues)) {
    const { policy, ...wanted } = { ...forEveryQueue, ...behaviour }
    if (await boss.getQueue(name)) await boss.updateQueue(name, wanted)
    else await boss.createQueue(name, { ...wanted, ...(policy && { policy }) }) // a policy cannot be changed later
  }
  await boss.stop({ graceful: false, close: true })
}
