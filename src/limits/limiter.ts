import { LRUCache } from 'lru-cache'
import { Unavailable } from '#lib/unavailable.ts'
import type { Counter, Window } from './window.ts'

type Verdict = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

export { windowSeconds } from './window.ts'

export type Limiter = (key: string, limit: number) => Promise<Verdict>

const rememberedKeys = 10_000
const endOfWindowMs = 2_000
/** A window that ends at least this much later than the known one is a new window. A smaller difference is network delay. */
const sameWindowMs = 10_000

/**
 * Asks the stores in their order. When all of them are lost, the request fails; it is never allowed. When the first store is
 * lost, the next one continues from the last count that this process saw, instead of from zero. So does the first store when
 * it is back, or when it has forgotten its counts.
 */
export function createLimiter(first: Counter, ...others: Counter[]): Limiter {
  const seen = new LRUCache<string, { count: number; endsAtMs: number; byFirst: boolean }>({ max: rememberedKeys })

  async function count(key: string): Promise<Window> {
    if (others.length === 0) return first(key)
    try {
      return remember(key, true, await first(key, floorFor(key)))
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      return remember(key, false, await countInFirst(others, key, lastSeen(key)))
    }
  }

  /**
   * The count from which the first store must continue. Without another store's count, there is none near the end of the
   * window, because the first store may already have begun the next one.
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

  return async (key, limit) => {
    const window = await count(key)
    return {
      allowed: window.count <= limit,
      limit,
      remaining: Math.max(limit - window.count, 0),
      resetSeconds: Math.ceil(window.resetMs / 1000),
    }
  }
}

async function countInFirst([counter, ...others]: Counter[], key: string, known?: Window): Promise<Window> {
  if (!counter) throw new Unavailable('No store for the rate limit is within reach')
  try {
    return await counter(key, known)
  } catch (error) {
    if (error instanceof Unavailable && others.length > 0) return countInFirst(others, key, known)
    throw error
  }
}
