import type { Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'

export type WithdrawJob = { siteId: number }

/** A job per site, unless it has one. By number: two who enqueue for the same sites must not wait for each other. */
export async function enqueueWithdrawals(
  tx: Queryable,
  queue: Queue,
  sites: { id: number; controllerId: string }[],
): Promise<number> {
  const jobs = sites
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, controllerId }) => ({
      data: { siteId: id } satisfies WithdrawJob,
      onlyOne: String(id),
      group: controllerId,
    }))
  return jobs.length === 0 ? 0 : queue.enqueue(tx, 'withdraw', jobs)
}
