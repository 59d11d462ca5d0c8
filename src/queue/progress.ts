import { systemClock } from 'pg-boss'
import { codeOf } from '#db/database.ts'
import { WritesStopped } from '#db/write-guard.ts'

/**
 * A clock that never goes back. pg-boss uses `Date.now` by default: after the clock was set back by two hours, the next poll
 * waited for two hours. With our options, pg-boss only compares these times with each other and sends none to the database.
 */
export const steadyClock = { ...systemClock, now: () => performance.timeOrigin + performance.now() }

type Handlers = { track<T>(handling: Promise<T>): Promise<T>; lastActive(): number }

/** Tracks when a handler last ran. A handler does not count after its job expired, because pg-boss gave the job up. */
export function trackHandlers(expireMs: number): Handlers {
  const deadlines = new Set<{ at: number }>()
  let endedAt = steadyClock.now()
  return {
    async track(handling) {
      const deadline = { at: steadyClock.now() + expireMs }
      deadlines.add(deadline)
      try {
        return await handling
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
 * True when the database rejects a fetch because it is read-only or full: it did answer, so this counts as progress. So does a
 * fetch while writes are stopped: a new process could not fetch either.
 */
export function isRejectedByDatabase(error: unknown): boolean {
  const code = codeOf((error as Error | undefined)?.cause ?? error)
  return error instanceof WritesStopped || /^(25006|53...)$/.test(code)
}
