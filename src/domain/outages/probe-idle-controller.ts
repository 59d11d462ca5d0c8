import type { ProbeSchedule } from './probe-schedule.ts'
import { findSiteToProbe, type IdleController } from './probes.queries.ts'
import { noteFailure, type OutageContext } from './track-outages.ts'

type ProbeContext = OutageContext & {
  schedule: ProbeSchedule<IdleController>
  /** Whether this process may still probe. False after it was frozen, when its own time-outs mean nothing. */
  isElected(): boolean
}

/**
 * Probes a controller that nobody called for a while, without its credentials. After the second probe without an answer, the
 * controller is called like after any failed call, with its credentials: its outage begins only if that fails too. So a
 * controller whose start page alone is broken has no outage.
 */
export async function probeIdleController(ctx: ProbeContext, controller: IdleController): Promise<void> {
  const { schedule } = ctx
  const { id } = controller
  try {
    const reason = await ctx.controllers.reach(controller)
    if (reason !== null && !schedule.noteSilence(id, performance.now())) return
    if (reason !== null && ctx.isElected() && (await isOut(ctx, id))) schedule.remove(id)
    else schedule.noteContact(id, performance.now())
  } catch (error) {
    schedule.noteContact(id, performance.now()) // the next probe is in a minute
    throw error
  }
}

/** Reads the controller again, because somebody may have changed its address or certificate meanwhile. */
async function isOut(ctx: ProbeContext, controllerId: string): Promise<boolean> {
  const site = await findSiteToProbe(ctx.db, controllerId)
  return site !== undefined && noteFailure(ctx, site, 'unreachable')
}
