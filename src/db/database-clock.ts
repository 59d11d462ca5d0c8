import type { Clock } from '#lib/clock.ts'
import type { Queryable } from './database.ts'

const sampleEveryMs = 15_000
/** Rounding and the scheduling of two processes: a difference below this says nothing. */
const toleranceMs = 5

export type DatabaseClock = Clock & {
  /** Reads the database's time now, and from then on every 15 s. */
  start(): Promise<void>
  stop(): void
}

/**
 * The database's time without a query for each look at it. It runs on this process' monotonic clock, so it does not jump
 * when somebody sets the time of this machine. Before the first sample it is the machine's own time.
 */
export function createDatabaseClock(db: Queryable): DatabaseClock {
  let aheadOfMonotonicMs = Date.now() - performance.now()
  let sampled = false
  let timer: NodeJS.Timeout | undefined

  /** The answer was made at some moment of the round trip, so only a sample that contradicts the estimate replaces it. */
  async function sample(): Promise<void> {
    const sentAt = performance.now()
    const { rows } = await db.query<{ now: Date }>('select clock_timestamp()::timestamptz(3) as now')
    const halfTripMs = (performance.now() - sentAt) / 2
    const measured = (rows[0] as { now: Date }).now.getTime() - (sentAt + halfTripMs)
    const contradicts = Math.abs(measured - aheadOfMonotonicMs) > halfTripMs + toleranceMs
    if (!sampled || contradicts) aheadOfMonotonicMs = measured
    sampled = true
  }

  return {
    now: () => new Date(aheadOfMonotonicMs + performance.now()),
    async start() {
      timer ??= setInterval(() => void sample().catch(() => {}), sampleEveryMs).unref() // the estimate goes on meanwhile
      await sample()
    },
    stop: () => clearInterval(timer),
  }
}
