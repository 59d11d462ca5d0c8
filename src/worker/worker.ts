import type { Queryable } from '#db/database.ts'
import { deliver } from '#domain/notifications/deliver.ts'
import { deleteSettledCreations } from '#domain/vouchers/creations.queries.ts'
import type { Keyring } from '#lib/cipher.ts'
import { deleteClosedWindows } from '#limits/postgres-counter.ts'
import type { Queue } from '#queue/queue.ts'
import { type SweepLog, startSweeps } from './sweeps.ts'

const minuteMs = 60_000
const deliveriesAtOnce = 10

export type WorkerContext = { db: Queryable; queue: Queue; keyring: Keyring; log: SweepLog }

/** The work that no request waits for. Any number of these may run beside each other. */
export async function startWorker(ctx: WorkerContext): Promise<{ stop(): Promise<void> }> {
  await ctx.queue.work<{ deliveryId: string }>('deliver', deliveriesAtOnce, ({ deliveryId }) =>
    deliver(ctx, deliveryId),
  )
  return startSweeps(
    [
      {
        name: 'settled creations',
        everyMs: minuteMs,
        run: () => untilNoneIsLeft(() => deleteSettledCreations(ctx.db)),
      },
      { name: 'closed limiter windows', everyMs: 5 * minuteMs, run: () => deleteClosedWindows(ctx.db) },
    ],
    ctx.log,
  )
}

async function untilNoneIsLeft(sweep: () => Promise<number>): Promise<number> {
  let total = 0
  for (let count = await sweep(); count > 0; count = await sweep()) total += count
  return total
}
