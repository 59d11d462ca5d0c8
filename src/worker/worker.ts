import type { Queryable } from '#db/database.ts'
import { deleteSettledCreations } from '#domain/vouchers/creations.queries.ts'
import { deleteClosedWindows } from '#limits/postgres-counter.ts'
import { startSweeps } from './sweeps.ts'

const minuteMs = 60_000

/** The work that no request waits for. Any number of these may run beside each other. */
export function startWorker(ctx: { db: Queryable; log: Parameters<typeof startSweeps>[1] }): { stop(): Promise<void> } {
  return startSweeps(
    [
      { name: 'settled creations', everyMs: minuteMs, run: () => deleteSettledCreations(ctx.db) },
      { name: 'closed limiter windows', everyMs: 5 * minuteMs, run: () => deleteClosedWindows(ctx.db) },
    ],
    ctx.log,
  )
}
