import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '#db/database.ts'
import { deleteSettledCreations } from '#domain/creating/creations.queries.ts'
import { deleteOldEvents } from '#domain/deliveries/events.queries.ts'
import { requeueOverdue } from '#domain/deliveries/notify-webhooks.ts'
import { deleteOldRequests } from '#domain/remembered-requests.queries.ts'
import { takeSitesDueForSync } from '#domain/sites/sync-times.queries.ts'
import { deleteOldSessions } from '#domain/staff/sessions.queries.ts'
import { recordEndedVouchers } from '#domain/vouchers/record-ended-vouchers.ts'
import { deletePreviousSecrets } from '#domain/webhooks/webhooks.queries.ts'
import { deleteOldWithdrawals } from '#domain/withdrawals/withdrawals.queries.ts'
import type { Log } from '#lib/log.ts'
import { deleteClosedWindows } from '#limits/limiter.ts'
import type { Queue } from '#queue/queue.ts'

/** Work that is repeated at an interval. `run` returns how many things it did; 0 writes nothing to the log. */
type Sweep = { name: string; everyMs: number; run: () => Promise<number> }

type ScheduleContext = { db: Database; queue: Queue; log: Log }

const minuteMs = 60_000
const maxSyncsPerSweep = 200

/** Repeats the given sweeps and the housekeeping of the database. A sweep starts again only after its last run has ended. */
export function startSchedules(ctx: ScheduleContext, sweeps: Sweep[]): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const loops = [...sweeps, ...housekeeping(ctx)].map((sweep) => repeat(sweep, ctx.log, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function repeat(sweep: Sweep, log: Log, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const count = await sweep.run()
      if (count > 0) log.info({ sweep: sweep.name, count }, 'a sweep completed')
    } catch (err) {
      log.error({ sweep: sweep.name, err }, `a sweep failed; it runs again in ${sweep.everyMs / 1_000} s`)
    }
    await pause(sweep.everyMs, undefined, { signal: stopping }).catch(() => {})
  }
}

function housekeeping(ctx: ScheduleContext): Sweep[] {
  return [
    { name: 'sites due for sync', everyMs: 5_000, run: () => enqueueDueSyncs(ctx) },
    { name: 'vouchers whose minutes ran out', everyMs: 5_000, run: () => recordEndedVouchers(ctx) },
    { name: 'deliveries without a job', everyMs: minuteMs, run: () => requeueOverdue(ctx) },
    { name: 'settled creations', everyMs: minuteMs, run: () => repeatUntilZero(() => deleteSettledCreations(ctx.db)) },
    { name: 'old Idempotency-Keys', everyMs: minuteMs, run: () => repeatUntilZero(() => deleteOldRequests(ctx.db)) },
    { name: 'closed limiter windows', everyMs: 5 * minuteMs, run: () => deleteClosedWindows(ctx.db) },
    { name: 'old withdrawals', everyMs: 60 * minuteMs, run: () => repeatUntilZero(() => deleteOldWithdrawals(ctx.db)) },
    { name: 'old events', everyMs: 60 * minuteMs, run: () => repeatUntilZero(() => deleteOldEvents(ctx.db)) },
    { name: 'ended sessions', everyMs: 60 * minuteMs, run: () => deleteOldSessions(ctx.db) },
    { name: 'previous secrets of webhooks', everyMs: 60 * minuteMs, run: () => deletePreviousSecrets(ctx.db) },
  ]
}

/** Enqueues one job for each site that is due. The job's group limits how many sites of a controller sync at once. */
async function enqueueDueSyncs({ db, queue }: ScheduleContext): Promise<number> {
  return db.transaction(async (tx) => {
    const sites = await takeSitesDueForSync(tx, maxSyncsPerSweep)
    const jobs = sites.map(({ id, controllerId }) => ({
      data: { siteId: id },
      onlyOne: String(id),
      group: controllerId,
    }))
    await queue.enqueue(tx, 'sync', jobs)
    return sites.length
  })
}

/** Repeats a deletion that is limited to some rows per statement. Returns how many rows were deleted in total. */
async function repeatUntilZero(deleteSome: () => Promise<number>): Promise<number> {
  let total = 0
  for (let count = await deleteSome(); count > 0; count = await deleteSome()) total += count
  return total
}
