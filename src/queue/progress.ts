import type { WipData } from 'pg-boss'
import { steadyClock } from './steady-clock.ts'

export type Handlers = { track(handling: Promise<void>): Promise<void>; lastActive(): number }

/** Tracks when a handler last ran. A handler that outlives its job does not count, because pg-boss has given the job up. */
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

/** When the database last answered this worker. A rejection by a read-only or full one counts: a restart would not help. */
export function lastAnswer({ lastFetchedOn, lastError, lastErrorOn }: WipData): number {
  const { code } = (lastError ?? {}) as { code?: string }
  const refusedOn = code !== undefined && /^(25006|53...)$/.test(code) ? lastErrorOn : null
  return Math.max(lastFetchedOn ?? 0, refusedOn ?? 0)
}
