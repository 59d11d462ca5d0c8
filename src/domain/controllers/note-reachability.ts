import type { Database, Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { notifyOutage } from '../notifications/notify-outage.ts'
import { endOutage, isOutOfReach, type Outage, startOutage } from './outages.queries.ts'

type OutageContext = { db: Database; queue: Queue }

/** True when an outage began with it: then those who asked for it are told, in the same transaction. */
export function noteUnreachable(ctx: OutageContext, controllerId: string): Promise<boolean> {
  return noteChange(ctx, (tx) => startOutage(tx, controllerId))
}

/** True when an outage ended with it. */
export async function noteReachable(ctx: OutageContext, controllerId: string): Promise<boolean> {
  if (!(await isOutOfReach(ctx.db, controllerId))) return false // as nearly always: no transaction for that
  return noteChange(ctx, (tx) => endOutage(tx, controllerId))
}

async function noteChange({ db, queue }: OutageContext, change: (tx: Queryable) => Promise<Outage | undefined>) {
  return db.transaction(async (tx) => {
    const outage = await change(tx)
    if (outage) await notifyOutage(tx, queue, outage)
    return outage !== undefined
  })
}
