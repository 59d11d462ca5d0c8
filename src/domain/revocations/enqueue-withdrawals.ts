import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import type { WithdrawalKind } from '../record/withdrawals.queries.ts'

/** A job of version 0.1.0 has no kind. */
export type WithdrawJob = { siteId: number; kind?: WithdrawalKind }

/** Enqueues a job for each site that has none of this kind, in the order of site ids, so that two transactions cannot deadlock. */
export async function enqueueWithdrawals(
  tx: Queryable,
  queue: Queue,
  siteIds: number[],
  kind: WithdrawalKind,
): Promise<void> {
  const jobs = siteIds
    .toSorted((a, b) => a - b)
    .map((siteId) => ({ data: { siteId, kind } satisfies WithdrawJob, exclusiveKey: `${siteId} ${kind}` }))
  if (jobs.length > 0) await queue.enqueue(tx, 'withdraw', jobs)
}
