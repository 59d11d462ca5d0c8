import type { Database, Queryable } from '#db/database.ts'
import type { Failure } from '#drivers/driver.ts'
import type { Log } from '#lib/log.ts'
import type { Queue } from '#queue/queue.ts'
import { isUnanswered } from '../controllers/controller-failure.ts'
import {
  endOutage,
  hasOutage,
  type Outage,
  startOutage,
  updateOutageReason,
} from '../controllers/controller-outages.queries.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { notifyOutage } from '../deliveries/notify-webhooks.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'

export type OutageContext = {
  db: Database
  queue: Queue
  controllers: Controllers
  log: Log
}

/**
 * Checks whether a controller still answers after a call to it failed. If not, its outage begins: webhooks that report
 * controllers are notified, and background work leaves the controller alone until it answers again. Returns true when the
 * controller is out of reach.
 */
export async function noteFailure(ctx: OutageContext, site: SiteOnController, failure: Failure): Promise<boolean> {
  if (!isUnanswered(failure)) return false
  const reason = await ctx.controllers.findUnreachableReason(site)
  if (reason === null) return false
  const began = await recordChange(ctx, (tx) => startOutage(tx, site.controllerId, reason))
  if (began) ctx.log.warn({ controller: site.controllerId, failure, reason }, 'the controller is unreachable')
  return true
}

/** Ends the outage of a controller that answered, if there is one. */
export async function noteReachable(ctx: OutageContext, controllerId: string): Promise<void> {
  if (!(await hasOutage(ctx.db, controllerId))) return // the usual case: no transaction is needed
  const ended = await recordChange(ctx, (tx) => endOutage(tx, controllerId))
  if (ended) ctx.log.info({ controller: controllerId }, 'the controller is back')
}

/** Probes a controller that is out of reach. Any answer ends its outage. */
export async function probeOutage(ctx: OutageContext, site: SiteOnController): Promise<void> {
  const reason = await ctx.controllers.findUnreachableReason(site)
  if (reason === null) await noteReachable(ctx, site.controllerId)
  else await updateOutageReason(ctx.db, site.controllerId, reason)
}

async function recordChange({ db, queue }: OutageContext, change: (tx: Queryable) => Promise<Outage | undefined>) {
  return db.transaction(async (tx) => {
    const outage = await change(tx)
    if (outage) await notifyOutage(tx, queue, outage)
    return outage !== undefined
  })
}
