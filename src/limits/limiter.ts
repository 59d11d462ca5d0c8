import { Unavailable } from '#lib/unavailable.ts'
import type { Counter } from './window.ts'

type Verdict = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

export { windowSeconds } from './window.ts'

export type Limiter = (key: string, limit: number) => Promise<Verdict>

/** The stores are asked in their order; when the last one is lost too, the request fails: it is never let through. */
export function createLimiter(...counters: [Counter, ...Counter[]]): Limiter {
  return async (key, limit) => {
    const window = await countInFirst(counters, key)
    return {
      allowed: window.count <= limit,
      limit,
      remaining: Math.max(limit - window.count, 0),
      resetSeconds: Math.ceil(window.resetMs / 1000),
    }
  }
}

async function countInFirst([counter, ...others]: Counter[], key: string): ReturnType<Counter> {
  if (!counter) throw new Unavailable('No store for the rate limit is within reach')
  try {
    return await counter(key)
  } catch (error) {
    if (error instanceof Unavailable && others.length > 0) return countInFirst(others, key)
    throw error
  }
}
