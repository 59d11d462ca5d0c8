/** A controller in the schedule, with the time since its last recorded contact, if there was one. */
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

/** `isSilent`: the last probe had no answer. */
type Entry<C> = { controller: C; host: string; dueAt: number; isTaken: boolean; isSilent: boolean }

/** Decides which controllers are probed next. Keeps everything in memory, and gets the time from its caller. */
export function createProbeSchedule<C extends ScheduledController>(
  limits: ProbeLimits = probeLimits,
): ProbeSchedule<C> {
  /** Controllers whose last answer is oldest come first, so a probe is repeated before others are probed again. */
  const entries = new Map<string, Entry<C>>()
  const budget = createBudget(limits.perSecond)
  /** A budget is never removed: one for each host that was ever probed is little memory. */
  const hostBudgets = new Map<string, Budget>()

  function budgetOf(host: string): Budget {
    const known = hostBudgets.get(host) ?? createBudget(limits.perSecondOfHost)
    hostBudgets.set(host, known)
    return known
  }

  /** Adds the controller at the end, or moves it there. */
  function add(controller: C, nowMs: number): void {
    const { id } = controller
    entries.delete(id)
    const dueAt = nowMs + limits.idleMs
    entries.set(id, { controller, host: hostOf(controller), dueAt, isTaken: false, isSilent: false })
  }

  return {
    update(controllers, nowMs) {
      const listed = new Set(controllers.map(({ id }) => id))
      for (const id of [...entries.keys()]) if (!listed.has(id)) entries.delete(id)
      for (const controller of controllers) {
        const entry = entries.get(controller.id)
        if (!entry) {
          add(controller, nowMs)
          continue
        }
        if (controller.address !== entry.controller.address) entry.host = hostOf(controller) // parsing 50,000 takes 0.1 s
        entry.controller = controller
        if (controller.idleMs !== null && !entry.isSilent)
          entry.dueAt = Math.max(entry.dueAt, nowMs - controller.idleMs + limits.idleMs)
      }
    },
    takeDue(nowMs, atMost) {
      const taken: C[] = []
      for (const entry of entries.values()) {
        if (entry.isTaken || entry.dueAt > nowMs) continue
        if (taken.length >= atMost || !budget.hasOne(nowMs)) break
        const ofHost = budgetOf(entry.host)
        if (!ofHost.hasOne(nowMs)) continue
        budget.spendOne()
        ofHost.spendOne()
        entry.isTaken = true
        taken.push(entry.controller)
      }
      return taken
    },
    noteContact(id, nowMs) {
      const entry = entries.get(id)
      if (entry) add(entry.controller, nowMs)
    },
    noteSilence(id, nowMs) {
      const entry = entries.get(id)
      if (!entry || entry.isSilent) return entry !== undefined
      Object.assign(entry, { dueAt: nowMs + limits.retryMs, isTaken: false, isSilent: true })
      return false
    },
    remove: (id) => void entries.delete(id),
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
