import { LRUCache } from 'lru-cache'
import { Unavailable } from '#lib/unavailable.ts'
import type { Counter, Window } from './window.ts'

type Verdict = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

export { windowSeconds } from './window.ts'

export type Limiter = (key: string, limit: number) => Promise<Verdict>

const rememberedKeys = 10_000
const endOfWindowMs = 2_000
/** A window that ends so much later than the one before is a new one. Less is the delay of an answer. */
const sameWindowMs = 10_000

/**
 * The stores are asked in their order; when the last one is lost too, the request fails: it is never let through. When the
 * first one is lost, the next one goes on from the count that this process saw last, instead of from zero; and so does the
 * first one when it is back.
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
   * What the first store must have counted already, unless it forgot or another one counted meanwhile. Near its end our idea
   * of the window may be older than that of the store.
   */
  function floorFor(key: string): Window | undefined {
    const window = lastSeen(key)
    return window && (window.resetMs > endOfWindowMs || !seen.get(key)?.byFirst) ? window : undefined
  }

  /** Answers may come in another order than they were counted. */
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
