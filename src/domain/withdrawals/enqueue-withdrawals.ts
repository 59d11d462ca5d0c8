import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'

export type WithdrawJob = { siteId: number }

/** Enqueues a job for each site that has none, in the order of site ids, so that two transactions cannot deadlock. */
export async function enqueueWithdrawals(tx: Queryable, queue: Queue, siteIds: number[]): Promise<void> {
  const jobs = siteIds
    .toSorted((a, b) => a - b)
    .map((siteId) => ({ data: { siteId } satisfies WithdrawJob, exclusiveKey: String(siteId) }))
  if (jobs.length > 0) await queue.enqueue(tx, 'withdraw', jobs)
}
