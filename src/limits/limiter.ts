import { LRUCache } from 'lru-cache'
import { Unavailable } from '#lib/unavailable.ts'
import type { Counter, Window } from './window.ts'

type Verdict = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

export { windowSeconds } from './window.ts'

export type Limiter = (key: string, limit: number) => Promise<Verdict>

const rememberedKeys = 10_000

/**
 * The stores are asked in their order; when the last one is lost too, the request fails: it is never let through. When the
 * first one is lost, the next one goes on from the count that this process saw last, instead of from zero.
 */
export function createLimiter(first: Counter, ...others: Counter[]): Limiter {
  const seen = new LRUCache<string, { count: number; endsAtMs: number }>({ max: rememberedKeys })

  async function count(key: string): Promise<Window> {
    try {
      const window = await first(key)
      if (others.length > 0) remember(key, window)
      return window
    } catch (error) {
      if (!(error instanceof Unavailable) || others.length === 0) throw error
      return countInFirst(others, key, lastSeen(key))
    }
  }

  /** Answers may come in another order than they were counted. */
  function remember(key: string, { count, resetMs }: Window): void {
    const before = lastSeen(key)?.count ?? 0
    seen.set(key, { count: Math.max(count, before), endsAtMs: performance.now() + resetMs })
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
