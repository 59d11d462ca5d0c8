import type { Clock } from '#lib/clock.ts'
import type { Queryable } from './database.ts'

const sampleEveryMs = 15_000
/** A smaller difference can come from rounding and from the scheduling of two processes. */
const toleranceMs = 5

export type DatabaseClock = Clock & {
  /** Reads the database's time now, and from then on every 15 s. */
  start(): Promise<void>
  stop(): void
}

/**
 * Tells the database's time without a query for each call. The clock continues with this process' monotonic clock, so it
 * does not jump when somebody sets the time of this machine. Before the first sample it tells the machine's own time.
 */
export function createDatabaseClock(db: Queryable): DatabaseClock {
  let aheadOfMonotonicMs = Date.now() - performance.now()
  let sampled = false
  let timer: NodeJS.Timeout | undefined

  /** The server reads its clock at some moment of the round trip, so only a contradicting sample replaces the estimate. */
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
      timer ??= setInterval(() => void sample().catch(() => {}), sampleEveryMs).unref() // the old estimate stays in use
      await sample()
    },
    stop: () => clearInterval(timer),
  }
}
