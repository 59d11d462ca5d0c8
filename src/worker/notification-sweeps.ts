import type { Database } from '#db/database.ts'
import { deleteOldEvents } from '#domain/notifications/events.queries.ts'
import { requeueOverdue } from '#domain/notifications/requeue-overdue.ts'
import { deletePreviousSecrets } from '#domain/notifications/webhooks.queries.ts'
import type { Queue } from '#queue/queue.ts'
import { type Sweep, untilNoneIsLeft } from './sweeps.ts'

const minuteMs = 60_000

export function notificationSweeps(ctx: { db: Database; queue: Queue }): Sweep[] {
  return [
    { name: 'deliveries without a job', everyMs: minuteMs, run: () => requeueOverdue(ctx) },
    { name: 'old events', everyMs: 60 * minuteMs, run: () => untilNoneIsLeft(() => deleteOldEvents(ctx.db)) },
    { name: 'previous secrets of webhooks', everyMs: 60 * minuteMs, run: () => deletePreviousSecrets(ctx.db) },
  ]
}
