import type { Database } from '#db/database.ts'
import { listSitesWithDueWithdrawals } from '#domain/withdrawals/due-withdrawals.queries.ts'
import { enqueueWithdrawals } from '#domain/withdrawals/enqueue-withdrawals.ts'
import type { Queue } from '#queue/queue.ts'

const atOnce = 500

/** Makes a job for every site with something to withdraw. Whatever became of an earlier job, here it all comes back. */
export async function scheduleWithdrawals({ db, queue }: { db: Database; queue: Queue }): Promise<number> {
  const sites = await listSitesWithDueWithdrawals(db)
  let made = 0
  for (let i = 0; i < sites.length; i += atOnce) made += await enqueueWithdrawals(db, queue, sites.slice(i, i + atOnce))
  return made
}
