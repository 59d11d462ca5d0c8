import { setTimeout as pause } from 'node:timers/promises'
import { type Database, Unavailable } from '#db/database.ts'
import { deleteOldRows, rowsPerDeletion } from '#db/retention.queries.ts'
import { auditRowsPerCall, deleteOldAudit, stripAudit } from '#domain/audit/audit.queries.ts'
import { updateKeysOfErasedBatches } from '#domain/batches/erase-rows.queries.ts'
import { deleteLostDeliveries } from '#domain/deliveries/delete-lost-deliveries.ts'
import { requeueOverdue } from '#domain/deliveries/enqueue-deliveries.ts'
import { eraseOldAddresses } from '#domain/messages/messages.queries.ts'
import { updateKeysOfErasedRevocations } from '#domain/revocations/revocations.queries.ts'
import { takeSitesDueForSync } from '#domain/sites/sync-times.queries.ts'
import { recordEndedVouchers } from '#domain/syncing/record-ended-vouchers.ts'
import { deletePreviousSecrets } from '#domain/webhooks/webhooks.queries.ts'
import { atMostEvery } from '#lib/at-most-every.ts'
import type { Log } from '#lib/log.ts'
import { repeatWhileFull } from '#lib/pieces.ts'
import type { Queue } from '#queue/queue.ts'
import { listRetentionRules, type RetentionSettings } from './retention-rules.ts'

/** Work that is repeated at an interval. If `run` returns how many things it did, the log says so, except for 0. */
type Sweep = { name: string; everyMs: number; run: () => Promise<number> | Promise<void> }

type ScheduleContext = { db: Database; queue: Queue; log: Log; config: RetentionSettings }

const minuteMs = 60_000
const secretsPerStatement = 1_000
const addressesPerStatement = 1_000
/** How many syncs run at once in a process, and for one controller in all processes. */
export const syncs = { atOnce: 12, perGroup: 2 }
/**
 * A sweep fills the queue up to this many syncs that could start at once. The workers start them before the next sweep, so with
 * fewer they would wait for it: with 200 at each sweep, every 5 s, a worker did at most 40 syncs per second.
 */
const syncsToKeepReady = 500
/**
 * A controller with this many waiting syncs gets no more. With 100,000, a fetch took 117 ms, because it reads them all.
 */
const maxWaitingSyncs = 100

/** Repeats the given sweeps and the housekeeping of the database. A sweep starts again only after its last run has ended. */
export function startSchedules(ctx: ScheduleContext, sweeps: Sweep[]): { stop(): Promise<void> } {
  const stopping = new AbortController()
  // Every sweep needs PostgreSQL, so a line for each of them would fill the disk in a long outage.
  const reportUnavailable = atMostEvery(minuteMs, (err: Unavailable) =>
    ctx.log.error(
      { err },
      'background work waits until PostgreSQL answers, then continues by itself; check that PostgreSQL is running',
    ),
  )
  const report = (sweep: Sweep, err: unknown) => {
    if (err instanceof Unavailable) reportUnavailable(err)
    else ctx.log.error({ sweep: sweep.name, err }, `a sweep failed; it runs again in ${sweep.everyMs / 1_000} s`)
  }
  const loops = [...sweeps, ...housekeeping(ctx)].map((sweep) => repeat(sweep, ctx.log, report, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function repeat(
  sweep: Sweep,
  log: Log,
  report: (sweep: Sweep, err: unknown) => void,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    try {
      const count = await sweep.run()
      if (count) log.info({ sweep: sweep.name, count }, 'a sweep completed')
    } catch (err) {
      report(sweep, err)
    }
    await pause(sweep.everyMs, undefined, { signal: stopping }).catch(() => {})
  }
}

function housekeeping(ctx: ScheduleContext): Sweep[] {
  return [
    { name: 'sites due for sync', everyMs: 2_000, run: () => enqueueDueSyncs(ctx) },
    { name: 'vouchers whose minutes ran out', everyMs: 5_000, run: () => recordEndedVouchers(ctx) },
    { name: 'deliveries without a job', everyMs: minuteMs, run: () => requeueOverdue(ctx) },
    { name: 'deliveries of removed webhooks and sites', everyMs: minuteMs, run: () => deleteLostDeliveries(ctx.db) },
    ...listRetentionRules(ctx.config).map(({ name, everyMinutes, retention }) => ({
      name,
      everyMs: everyMinutes * minuteMs,
      run: () => repeatWhileFull(rowsPerDeletion, () => deleteOldRows(ctx.db, retention)),
    })),
    {
      name: 'old audit entries',
      everyMs: 60 * minuteMs,
      run: () => repeatWhileFull(auditRowsPerCall, () => deleteOldAudit(ctx.db)),
    },
    {
      name: 'names of guests in the audit', // which processes of version 0.1.0 write
      everyMs: minuteMs,
      run: () => repeatWhileFull(auditRowsPerCall, () => stripAudit(ctx.db)),
    },
    {
      name: 'addresses of messages that ended a day ago',
      everyMs: minuteMs,
      run: () => repeatWhileFull(addressesPerStatement, () => eraseOldAddresses(ctx.db, addressesPerStatement)),
    },
    {
      name: 'Idempotency-Keys of erased batches',
      everyMs: 60 * minuteMs,
      run: () => updateKeysOfErasedBatches(ctx.db),
    },
    {
      name: 'Idempotency-Keys of erased revocations',
      everyMs: 60 * minuteMs,
      run: () => updateKeysOfErasedRevocations(ctx.db),
    },
    {
      name: 'previous secrets of webhooks',
      everyMs: 60 * minuteMs,
      run: () => repeatWhileFull(secretsPerStatement, () => deletePreviousSecrets(ctx.db, secretsPerStatement)),
    },
  ]
}

/**
 * Enqueues one job for each site that is due. The job's group limits how many sites of a controller sync at once. The sites of
 * a controller with many waiting jobs stay due. All sites stay due while enough jobs wait that could start.
 */
export async function enqueueDueSyncs({ db, queue }: Pick<ScheduleContext, 'db' | 'queue'>): Promise<number> {
  const waiting = await queue.countWaiting('sync')
  const ready = [...waiting.values()].reduce((sum, count) => sum + Math.min(count, syncs.perGroup), 0)
  if (ready >= syncsToKeepReady) return 0
  const busyControllers = [...waiting].filter(([, count]) => count >= maxWaitingSyncs).map(([id]) => id)
  return db.transaction(async (tx) => {
    const sites = await takeSitesDueForSync(tx, syncsToKeepReady - ready, busyControllers)
    const jobs = sites.map(({ id, controllerId }) => ({
      data: { siteId: id },
      exclusiveKey: String(id),
      group: controllerId,
    }))
    await queue.enqueue(tx, 'sync', jobs)
    return sites.length
  })
}
