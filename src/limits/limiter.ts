import { LRUCache } from 'lru-cache'
import { type Queryable, Unavailable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import { type Gathered, gatherCalls } from '#lib/concurrency.ts'

export type Verdict = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

/** A window is 60 s long unless `seconds` says otherwise. Always pass the same `seconds` for a key. */
export type Limiter = (key: string, limit: number, seconds?: number) => Promise<Verdict>

export const windowSeconds = 60

/** The state of a window after a request was counted in it. */
export type Window = { count: number; resetMs: number }

/**
 * Counts a request in the key's window, and opens a new window when none is open. Atomic across all processes. `known` is the
 * window that this process saw last, perhaps from another store: counting continues from there.
 */
export type Counter = (key: string, known?: Window) => Promise<Window>

const rememberedKeys = 10_000
const endOfWindowMs = 2_000
/** A window that ends at least this much later than the known one is a new window. A smaller difference is network delay. */
const sameWindowMs = 10_000

/**
 * Counts each request in the first store that can be reached. When both are lost, the request fails; it is never allowed.
 * When the first store is lost, the second one continues from the last count that this process saw, instead of from zero.
 * The first store does the same when it is back, or when it has lost its counts.
 */
export function createLimiter(first: Counter, second?: Counter): Limiter {
  const seen = new LRUCache<string, { count: number; endsAtMs: number; byFirst: boolean }>({ max: rememberedKeys })

  async function count(key: string, seconds: number): Promise<Window> {
    const empty = { count: 0, resetMs: seconds * 1_000 }
    if (!second) return first(key, empty)
    try {
      return remember(key, true, await first(key, floorFor(key) ?? empty))
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      return remember(key, false, await second(key, lastSeen(key) ?? empty))
    }
  }

  /**
   * The window from which the first store must continue. Undefined near the end of a window that the first store itself
   * counted, because the next window may already have begun there.
   */
  function floorFor(key: string): Window | undefined {
    const window = lastSeen(key)
    return window && (window.resetMs > endOfWindowMs || !seen.get(key)?.byFirst) ? window : undefined
  }

  /** Keeps the highest count of a window, because answers may arrive in a different order. */
  function remember(key: string, byFirst: boolean, window: Window): Window {
    const before = lastSeen(key)
    const isSameWindow = before !== undefined && window.resetMs < before.resetMs + sameWindowMs
    const count = isSameWindow ? Math.max(window.count, before.count) : window.count
    seen.set(key, { count, endsAtMs: performance.now() + window.resetMs, byFirst })
    return window
  }

  function lastSeen(key: string): Window | undefined {
    const window = seen.get(key)
    const resetMs = (window?.endsAtMs ?? 0) - performance.now()
    return window && resetMs > 0 ? { count: window.count, resetMs } : undefined
  }

  return async (key, limit, seconds = windowSeconds) => {
    const window = await count(key, seconds)
    return {
      allowed: window.count <= limit,
      limit,
      remaining: Math.max(limit - window.count, 0),
      resetSeconds: Math.ceil(window.resetMs / 1000),
    }
  }
}

/** Counts concurrent requests with one statement, and gives each request its own number. */
export function postgresCounter(db: Queryable): Counter {
  const gather = gatherCalls<Asked, Window>((asked) => addToWindows(db, asked))
  return async (key, known = { count: 0, resetMs: windowSeconds * 1_000 }) => {
    const { result, place, callers } = await gather(key, { key, known })
    return { count: result.count - callers + place, resetMs: result.resetMs }
  }
}

type Asked = { key: string; known: Window }

/** Uses the database's clock, so processes whose clocks differ still share one window. */
async function addToWindows(db: Queryable, asked: Gathered<Asked>[]): Promise<Window[]> {
  const { rows } = await db.query<Window & { key: string }>(addRequests, [
    asked.map(({ call }) => call.key),
    asked.map(({ call }) => call.known.resetMs / 1_000),
    asked.map(({ callers }) => callers),
    asked.map(({ call }) => call.known.count),
  ])
  const windows = new Map(rows.map((row) => [row.key, row]))
  return asked.map(({ call }) => windows.get(call.key) as Window)
}

/** Locks rows in the order of the keys, so that two processes that count the same keys cannot deadlock. */
const addRequests = {
  name: 'add requests to windows',
  text: `with asked as (
       select * from unnest($1::text[], $2::float8[], $3::integer[], $4::integer[]) as asked (key, seconds, requests, known))
     insert into rate_limits as open (key, count, ends_at)
     select key, requests + known, clock_timestamp() + make_interval(secs => seconds) from asked order by key
     on conflict (key) do update set (count, ends_at) = (
       select case when over then excluded.count else greatest(open.count, known) + requests end,
              case when over then at + make_interval(secs => seconds) else open.ends_at end
         from (select clock_timestamp() as at) as clock, lateral (select open.ends_at <= at as over) as look,
              asked where asked.key = excluded.key)
     returning key, count, greatest(ceil(extract(epoch from ends_at - clock_timestamp()) * 1000), 1)::integer as "resetMs"`,
}

export const closedWindows: Retention = {
  table: 'rate_limits',
  key: 'key',
  since: 'ends_at',
  keptFor: `interval '1 minute'`,
}
