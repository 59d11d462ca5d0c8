import { probeIdleController } from '#domain/outages/probe-idle-controller.ts'
import { createProbeSchedule, type ProbeLimits, probeLimits } from '#domain/outages/probe-schedule.ts'
import { type IdleController, listControllersToProbe } from '#domain/outages/probes.queries.ts'
import type { OutageContext } from '#domain/outages/track-outages.ts'
import { createLane, type Lane } from './lane.ts'

/** A probe of a controller that hangs takes 3 s, so 25 new ones a second need 75 places, and some more to confirm outages. */
const probesAtOnce = 120
/** A new controller, and one that is back after an outage, is scheduled after this time at most. */
const listEveryMs = 30_000

export type IdleProbing = {
  lane: Lane
  /** Starts the probes that are due, if this is the elected worker. An outage is logged where it is noticed. */
  sweep(): Promise<void>
}

/** Probes controllers that nobody called for a minute. Only the elected worker probes, and it writes nothing while they answer. */
export function createIdleProbing(ctx: OutageContext, limits: ProbeLimits = probeLimits): IdleProbing {
  const schedule = createProbeSchedule<IdleController>(limits)
  const lane = createLane('probing of idle controllers', probesAtOnce, ctx.log)
  const isElected = () => ctx.queue.isElected()
  let listAt = Number.NEGATIVE_INFINITY

  async function updateSchedule(): Promise<void> {
    if (performance.now() < listAt) return
    listAt = performance.now() + Math.min(listEveryMs, limits.idleMs)
    schedule.update(await listControllersToProbe(ctx.db), performance.now())
  }

  return {
    lane,
    async sweep() {
      if (!isElected()) return
      await updateSchedule()
      if (!isElected()) return
      for (const controller of schedule.takeDue(performance.now(), lane.free()))
        lane.start(controller.id, () => probeIdleController({ ...ctx, schedule, isElected }, controller))
    },
  }
}
