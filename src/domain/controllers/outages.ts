import type { Database, Queryable } from '#db/database.ts'
import type { Failure } from '#drivers/driver.ts'
import type { Queue } from '#queue/queue.ts'
import { notifyOutage } from '../notifications/notify-outage.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import type { Controllers } from './controllers.ts'
import { saysNothing } from './failure-of.ts'
import { endOutage, isOutOfReach, type Outage, startOutage } from './outages.queries.ts'

export type OutageContext = {
  db: Database
  queue: Queue
  controllers: Controllers
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/**
 * Checks whether a controller still answers after a call to it failed. If not, its outage begins: webhooks that report
 * controllers are notified, and background work leaves the controller alone until it answers again. Returns true when an
 * outage began.
 */
export async function noteFailure(ctx: OutageContext, site: SiteOnController, failure: Failure): Promise<boolean> {
  if (!saysNothing.includes(failure) || (await ctx.controllers.isReachable(site))) return false
  const began = await noteChange(ctx, (tx) => startOutage(tx, site.controllerId))
  if (began) ctx.log.warn({ controller: site.controllerId, failure }, 'the controller is out of reach')
  return began
}

/** Ends the outage of a controller that answered, if there is one. */
export async function noteReachable(ctx: OutageContext, controllerId: string): Promise<void> {
  if (!(await isOutOfReach(ctx.db, controllerId))) return // the usual case: no transaction is needed
  const ended = await noteChange(ctx, (tx) => endOutage(tx, controllerId))
  if (ended) ctx.log.info({ controller: controllerId }, 'the controller is back')
}

/** Probes a controller that is out of reach. Any answer ends its outage. */
export async function probeOutage(ctx: OutageContext, site: SiteOnController): Promise<void> {
  if (await ctx.controllers.isReachable(site)) await noteReachable(ctx, site.controllerId)
}

async function noteChange({ db, queue }: OutageContext, change: (tx: Queryable) => Promise<Outage | undefined>) {
  return db.transaction(async (tx) => {
    const outage = await change(tx)
    if (outage) await notifyOutage(tx, queue, outage)
    return outage !== undefined
  })
}
