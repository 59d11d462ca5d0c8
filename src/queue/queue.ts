import { PgBoss, type Queue as QueueOptions } from 'pg-boss'
import { type Queryable, tcpKeepAlive } from '#db/database.ts'
import { type Handlers, lastAnswer, steadyClock, trackHandlers } from './progress.ts'

const queueSchema = 'pgboss'

/** The queues of the service and their options. A job is only data; the code in `worker/` processes it. */
const queues = {
  // Each attempt of a delivery has one job. pg-boss retries the job only when a worker died or the database was away. A failed
  // attempt enqueues a job for the next attempt. (The policy of a queue cannot be changed, so `attempt` replaced `deliver`.)
  attempt: { policy: 'exclusive', retryLimit: 3, retryDelay: 1 },
  // This queue takes the attempts for receivers that were slow last time, so that other receivers do not wait for them.
  attempt_slow: { policy: 'exclusive', retryLimit: 3, retryDelay: 1 },
  // Each site has at most one job. pg-boss does not retry it, because the row of the site says when the next sync is due.
  sync: { policy: 'exclusive', retryLimit: 0, expireInSeconds: 600 },
  // Each batch has at most one job. pg-boss does not retry it, because the next sweep starts the work anyway.
  batch: { policy: 'exclusive', retryLimit: 0, expireInSeconds: 60 },
  // Each site has at most one job. pg-boss does not retry it, because the next sweep starts the work anyway.
  withdraw: { policy: 'exclusive', retryLimit: 0, expireInSeconds: 300 },
} satisfies Record<string, Partial<QueueOptions>>

type QueueName = keyof typeof queues

/** A job whose worker was killed is retried soon after its heartbeats stop. Finished jobs are deleted after an hour. */
const forEveryQueue = { notify: true, heartbeatSeconds: 10, expireInSeconds: 60, deleteAfterSeconds: 3_600 }

/**
 * These timeouts end a statement that gets no answer, so that a silent connection is replaced. The server's timeout is the
 * shorter one: a statement that only the client gives up would continue on the server and hold its connection. The types of
 * pg-boss do not list these options, but pg-boss passes them on to its pool and to the connection that listens.
 */
const answerTimeouts = { statement_timeout: 9_000, query_timeout: 10_000 }

/** While a job with the key `onlyOne` waits or runs, a queue with the policy `exclusive` rejects other jobs with this key. */
type NewJob = { data: object; onlyOne?: string; group?: string; startAfter?: Date | undefined }

/** How many jobs run at once: in this process, of one group in all processes, and of one group in this process. */
type Share = { atOnce: number; perGroup?: number; perGroupHere?: number }

export type Queue = {
  /** Adds the jobs when the transaction commits. Returns how many were accepted. */
  enqueue(tx: Queryable, name: QueueName, jobs: NewJob[]): Promise<number>
  work<T>(name: QueueName, share: Share, handle: (data: T) => Promise<void>): Promise<void>
  /** The time at which each queue of this process last made progress: it fetched, or a handler ran. */
  lastProgress(): Map<string, number>
  start(): Promise<void>
  stop(): Promise<void>
}

/** With `supervise`, which only workers set, this process also retries the jobs of processes that died. */
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
    // With the defaults, a killed worker's job is retried only after minutes, and most jobs wait for a poll.
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    queueCacheIntervalSeconds: 1,
    // By default, a whole day of finished jobs is deleted in one statement, which could exceed its timeout.
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
        // Without this option, each place takes one job per second, however many jobs wait.
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

/** Migrates the tables of pg-boss and creates or updates the queues. Part of `migrate`. */
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
    else await boss.createQueue(name, { ...wanted, ...(policy && { policy }) }) // a policy cannot be changed later
  }
  await boss.stop({ graceful: false, close: true })
}
