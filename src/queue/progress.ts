import { systemClock, type WipData } from 'pg-boss'

/**
 * A clock that never goes back. pg-boss uses `Date.now` by default: after the clock was set back by two hours, the next poll
 * waited for two hours. With our options, pg-boss only compares these times with each other and sends none to the database.
 */
export const steadyClock = { ...systemClock, now: () => performance.timeOrigin + performance.now() }

export type Handlers = { track(handling: Promise<void>): Promise<void>; lastActive(): number }

/** Tracks when a handler last ran. A handler does not count after its job expired, because pg-boss gave the job up. */
export function trackHandlers(expireMs: number): Handlers {
  const deadlines = new Set<{ at: number }>()
  let endedAt = steadyClock.now()
  return {
    async track(handling) {
      const deadline = { at: steadyClock.now() + expireMs }
      deadlines.add(deadline)
      try {
        await handling
      } finally {
        deadlines.delete(deadline)
        endedAt = steadyClock.now()
      }
    },
    lastActive() {
      const now = steadyClock.now()
      return [...deadlines].some(({ at }) => at > now) ? now : endedAt
    },
  }
}

/**
 * The time at which the database last answered this worker. A rejection because the database is read-only or full is an
 * answer too.
 */
export function lastAnswer({ lastFetchedOn, lastError, lastErrorOn }: WipData): number {
  const { code } = (lastError ?? {}) as { code?: string }
  const rejectedOn = code !== undefined && /^(25006|53...)$/.test(code) ? lastErrorOn : null
  return Math.max(lastFetchedOn ?? 0, rejectedOn ?? 0)
}
