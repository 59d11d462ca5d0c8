/** A controller that the schedule knows, with the time since its last recorded contact, if there was one. */
export type ScheduledController = { id: string; address: string; idleMs: number | null }

/**
 * A controller without contact for `idleMs` is due. After one probe without an answer it is due again after `retryMs`. The rates
 * count every probe; those of a host are for many consoles behind one address, such as the cloud connector of UniFi.
 */
export const probeLimits = { idleMs: 60_000, retryMs: 5_000, perSecond: 25, perSecondOfHost: 2 }

export type ProbeLimits = typeof probeLimits

export type ProbeSchedule<C extends ScheduledController> = {
  /** Replaces the controllers. A new one counts as contacted now. */
  update(controllers: C[], nowMs: number): void
  /** Takes up to `atMost` due controllers. Each is taken again only after its result was noted. */
  takeDue(nowMs: number, atMost: number): C[]
  noteContact(id: string, nowMs: number): void
  /**
   * Notes a probe without an answer. True when the one before had no answer either. The controller then stays taken until its
   * contact is noted or it is removed.
   */
  noteSilence(id: string, nowMs: number): boolean
  /** Removes a controller until the next update. */
  remove(id: string): void
}

type Entry<C> = { controller: C; host: string; dueAt: number; isTaken: boolean }

/** Decides which controllers are probed next. Keeps everything in memory, and gets the time from its caller. */
export function createProbeSchedule<C extends ScheduledController>(
  limits: ProbeLimits = probeLimits,
): ProbeSchedule<C> {
  /** Controllers that were probed longest ago come first. */
  const entries = new Map<string, Entry<C>>()
  /** Controllers whose last probe had no answer. They come before all others. */
  const silent = new Set<string>()
  const budget = createBudget(limits.perSecond)
  let hostBudgets = new Map<string, Budget>()

  function* inOrder(): Generator<Entry<C>> {
    for (const id of silent) yield entries.get(id) as Entry<C>
    yield* entries.values()
  }

  function remove(id: string): void {
    entries.delete(id)
    silent.delete(id)
  }

  return {
    update(controllers, nowMs) {
      const listed = new Map(controllers.map((controller) => [controller.id, controller]))
      for (const [id, entry] of [...entries]) {
        const controller = listed.get(id)
        if (!controller) {
          remove(id)
          continue
        }
        Object.assign(entry, { controller, host: hostOf(controller) })
        if (controller.idleMs !== null && !silent.has(id))
          entry.dueAt = Math.max(entry.dueAt, nowMs - controller.idleMs + limits.idleMs)
        listed.delete(id)
      }
      for (const [id, controller] of listed)
        entries.set(id, { controller, host: hostOf(controller), dueAt: nowMs + limits.idleMs, isTaken: false })
      const hosts = new Set([...entries.values()].map(({ host }) => host))
      hostBudgets = new Map(
        [...hosts].map((host) => [host, hostBudgets.get(host) ?? createBudget(limits.perSecondOfHost)]),
      )
    },
    takeDue(nowMs, atMost) {
      const taken: C[] = []
      for (const entry of inOrder()) {
        if (taken.length >= atMost || !budget.hasOne(nowMs)) break
        const ofHost = hostBudgets.get(entry.host)
        if (entry.isTaken || entry.dueAt > nowMs || !ofHost?.hasOne(nowMs)) continue
        budget.spendOne()
        ofHost.spendOne()
        entry.isTaken = true
        taken.push(entry.controller)
      }
      return taken
    },
    noteContact(id, nowMs) {
      const entry = entries.get(id)
      if (!entry) return
      remove(id)
      entries.set(id, { ...entry, dueAt: nowMs + limits.idleMs, isTaken: false })
    },
    noteSilence(id, nowMs) {
      const entry = entries.get(id)
      if (!entry || silent.has(id)) return entry !== undefined
      Object.assign(entry, { dueAt: nowMs + limits.retryMs, isTaken: false })
      silent.add(id)
      return false
    },
    remove,
  }
}

function hostOf({ address }: ScheduledController): string {
  return URL.canParse(address) ? new URL(address).host : address
}

type Budget = { hasOne(nowMs: number): boolean; spendOne(): void }

/** Unused probes are kept for half a second only, so that a delayed sweep does not send many at once. */
const keptForSeconds = 0.5

function createBudget(perSecond: number): Budget {
  const most = Math.max(1, perSecond * keptForSeconds)
  let left = most
  let countedAt: number | undefined
  return {
    hasOne(nowMs) {
      left = Math.min(most, left + ((nowMs - (countedAt ?? nowMs)) / 1_000) * perSecond)
      countedAt = nowMs
      return left >= 1
    },
    spendOne() {
      left -= 1
    },
  }
}
