import { PgBoss, type Queue as QueueOptions } from 'pg-boss'
import type { Queryable } from '#db/database.ts'

const queueSchema = 'pgboss'

/** The queues of the service and how each behaves. A job is data; what it means stands in `worker/`. */
const queues = {
  deliver: { retryLimit: 8, retryDelay: 5, retryBackoff: true },
} satisfies Record<string, Partial<QueueOptions>>

type QueueName = keyof typeof queues

/** A killed worker's job comes back soon after its heart stops; done jobs leave little behind. */
const forEveryQueue = { notify: true, heartbeatSeconds: 10, expireInSeconds: 60, deleteAfterSeconds: 3_600 }

export type Queue = {
  /** Becomes true with the transaction, or not at all. */
  enqueue(tx: Queryable, name: QueueName, jobs: object[]): Promise<void>
  work<T>(name: QueueName, atOnce: number, handle: (data: T) => Promise<void>): Promise<void>
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
    migrate: false,
    schedule: false,
    supervise: options.supervise,
    useListenNotify: options.supervise,
    // At the defaults a killed worker's job comes back after minutes, and most jobs wait for a poll.
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  })
  boss.on('error', options.onError)
  let started: Promise<unknown> | undefined

  return {
    async enqueue(tx, name, jobs) {
      const db = { executeSql: (text: string, values?: unknown[]) => tx.query(text, values) }
      await boss.insert(
        name,
        jobs.map((data) => ({ data })),
        { db },
      )
    },
    async work<T>(name: QueueName, atOnce: number, handle: (data: T) => Promise<void>) {
      const timing = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 1, localConcurrency: atOnce }
      await boss.work<T>(name, timing, async ([job]) => {
        if (job) await handle(job.data)
      })
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
  const boss = new PgBoss({ connectionString: url, schema: queueSchema, supervise: false, schedule: false, max: 2 })
  boss.on('error', () => {})
  await boss.start()
  for (const [name, behaviour] of Object.entries(queues)) {
    const wanted = { ...forEveryQueue, ...behaviour }
    if (await boss.getQueue(name)) await boss.updateQueue(name, wanted)
    else await boss.createQueue(name, wanted)
  }
  await boss.stop({ graceful: false, close: true })
}
