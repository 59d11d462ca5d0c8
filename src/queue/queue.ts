import { PgBoss, type Queue as QueueOptions } from 'pg-boss'
import { type Queryable, tcpKeepAlive } from '#db/database.ts'
import { type Handlers, lastAnswer, trackHandlers } from './progress.ts'
import { steadyClock } from './steady-clock.ts'

const queueSchema = 'pgboss'

/** The queues of the service and how each behaves. A job is data; what it means stands in `worker/`. */
const queues = {
  // One per turn of a delivery. Repeated only when a worker died with it or the database was away: an attempt that failed
  // is followed by a job of its own. (It was called `deliver` once; the kind of a queue cannot be changed.)
  attempt: { policy: 'exclusive', retryLimit: 3, retryDelay: 1 },
  // The same for receivers that took long last time: the others do not wait for them.
  attempt_slow: { policy: 'exclusive', retryLimit: 3, retryDelay: 1 },
  // One per key, waiting or running. Not repeated: when a site is next due stands in its own row.
  sync: { policy: 'exclusive', retryLimit: 0, expireInSeconds: 600 },
  // One per batch. Not repeated: it only says that there is something to do now.
  batch: { policy: 'exclusive', retryLimit: 0, expireInSeconds: 60 },
  // One per site. Not repeated: it only says that something is due there now.
  withdraw: { policy: 'exclusive', retryLimit: 0, expireInSeconds: 300 },
} satisfies Record<string, Partial<QueueOptions>>

type QueueName = keyof typeof queues

/** A killed worker's job comes back soon after its heart stops; done jobs leave little behind. */
const forEveryQueue = { notify: true, heartbeatSeconds: 10, expireInSeconds: 60, deleteAfterSeconds: 3_600 }

/**
 * Ends a statement that gets no answer, so that a connection which went silent is replaced. The server gives up first:
 * a statement that only we gave up would go on and hold its connection. The library's types do not list these options;
 * it passes them on to the pool and to the connection that listens.
 */
const answerTimeouts = { statement_timeout: 9_000, query_timeout: 10_000 }

/** `onlyOne`: while a job with this key waits or runs, no other is taken in, where the queue is of that kind. */
type NewJob = { data: object; onlyOne?: string; group?: string; startAfter?: Date | undefined }

/** How many jobs at once in this process, and of one group over all processes or in this one. */
type Share = { atOnce: number; perGroup?: number; perGroupHere?: number }

export type Queue = {
  /** Becomes true with the transaction, or not at all. Returns how many were taken in. */
  enqueue(tx: Queryable, name: QueueName, jobs: NewJob[]): Promise<number>
  work<T>(name: QueueName, share: Share, handle: (data: T) => Promise<void>): Promise<void>
  /** When each queue that this process works on last made progress. It stands still when nothing is fetched any more. */
  lastProgress(): Map<string, number>
  start(): Promise<void>
  stop(): Promise<void>
}

/** With `supervise` it also looks after jobs of the dead: the worker's part. */
export function createQueue(options: { url: string; supervise: boolean; onError: (error: Error) => void }): Queue {
  const boss = new PgBoss({
    connectionString: options.url,
    application_name: 'voucher-service queue',
    schema: queueSchema,
    max: 4,
    ...answerTimeouts,
    ...tcpKeepAlive,
    clock: steadyClock,
    migrate: false,
    schedule: false,
    supervise: options.supervise,
    useListenNotify: options.supervise,
    // At the defaults a killed worker's job comes back after minutes, and most jobs wait for a poll.
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    queueCacheIntervalSeconds: 1,
    // At the default a whole day of finished jobs is deleted in one statement, which could exceed its timeout.
    maintenanceIntervalSeconds: 600,
  })
  boss.on('error', options.onError)
  let started: Promise<unknown> | undefined
  const handlers = new Map<QueueName, Handlers>()

  return {
    async enqueue(tx, name, jobs) {
      const db = { executeSql: (text: string, values?: unknown[]) => tx.query(text, values) }
      const ids = await boss.insert(
        name,
        jobs.map(({ data, onlyOne, group, startAfter }) => ({
          data,
          ...(onlyOne !== undefined && { singletonKey: onlyOne }),
          ...(group !== undefined && { group: { id: group } }),
          ...(startAfter && { startAfter: startAfter.toISOString() }),
        })),
        { db, returnId: true },
      )
      return ids?.length ?? 0
    },
    async work<T>(name: QueueName, { atOnce, perGroup, perGroupHere }: Share, handle: (data: T) => Promise<void>) {
      const timing = {
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 1,
        localConcurrency: atOnce,
        // Without it each of them takes one job a second, however many wait.
        burstWhenReadyExceeds: atOnce,
        ...(perGroup !== undefined && { groupConcurrency: perGroup }),
        ...(perGroupHere !== undefined && { localGroupConcurrency: perGroupHere }),
      }
      const own = trackHandlers({ ...forEveryQueue, ...queues[name] }.expireInSeconds * 1_000)
      handlers.set(name, own)
      await boss.work<T>(name, timing, async ([job]) => {
        if (job) await own.track(handle(job.data))
      })
    },
    lastProgress() {
      const workers = boss.getWipData()
      const progress = [...handlers].map(([name, { lastActive }]): [string, number] => {
        const answers = workers.filter((worker) => worker.name === name).map(lastAnswer)
        return [name, Math.max(lastActive(), ...answers)]
      })
      return new Map(progress)
    },
    async start() {
      started ??= boss.start()
      await started
    },
    async stop() {
      if (started !== undefined) await boss.stop({ graceful: true, close: true, timeout: 4_000 })
    },
  }
}

/** Brings the queue's own tables to the version of its library. Part of `migrate`. */
export async function migrateQueue(url: string): Promise<void> {
  const boss = new PgBoss({
    connectionString: url,
    schema: queueSchema,
    supervise: false,
    schedule: false,
    max: 2,
    ...tcpKeepAlive, // no query timeout: an index on many jobs takes minutes
  })
  boss.on('error', () => {})
  await boss.start()
  for (const [name, behaviour] of Object.entries<Partial<QueueOptions>>(queues)) {
    const { policy, ...wanted } = { ...forEveryQueue, ...behaviour }
    if (await boss.getQueue(name)) await boss.updateQueue(name, wanted)
    else await boss.createQueue(name, { ...wanted, ...(policy && { policy }) }) // it cannot be changed later
  }
  await boss.stop({ graceful: false, close: true })
}
