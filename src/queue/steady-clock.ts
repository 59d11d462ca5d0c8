import { systemClock } from 'pg-boss'

/**
 * A clock that never goes back. pg-boss uses `Date.now` by default; after the clock was set back by two hours, the next poll
 * waited for two hours. With our options pg-boss only compares these times with each other and sends none to the database.
 */
export const steadyClock = { ...systemClock, now: () => performance.timeOrigin + performance.now() }
