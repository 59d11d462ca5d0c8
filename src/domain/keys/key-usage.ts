import type { Queryable } from '#db/database.ts'
import type { Calendar, Clock } from '#lib/clock.ts'
import { type KeyUse, updateKeyUse } from './keys.queries.ts'

const flushEveryMs = 10_000

export type KeyUsage = {
  count(keyId: string, accepted: boolean): void
  flush(): Promise<void>
  stop(): Promise<void>
}

/** Counts requests in memory and writes the counts every 10 s: a write per request would cost more than the request. */
export function countKeyUsage(
  { db, clock, today }: { db: Queryable; clock: Clock; today: Calendar },
  onError: (error: unknown) => void,
): KeyUsage {
  let uses = new Map<string, KeyUse>()
  const timer = setInterval(() => void flush().catch(onError), flushEveryMs)
  timer.unref()

  function add(day: string, keyId: string, requests: number, limited: number, lastUsedAt: Date): void {
    const use = uses.get(`${day} ${keyId}`) ?? { keyId, day, requests: 0, limited: 0, lastUsedAt }
    use.requests += requests
    use.limited += limited
    if (lastUsedAt > use.lastUsedAt) use.lastUsedAt = lastUsedAt
    uses.set(`${day} ${keyId}`, use)
  }

  function count(keyId: string, accepted: boolean): void {
    const now = clock.now()
    add(today(now), keyId, 1, accepted ? 0 : 1, now)
  }

  async function flush(): Promise<void> {
    if (uses.size === 0) return
    const counted = uses
    uses = new Map()
    try {
      await updateKeyUse(db, [...counted.values()])
    } catch (error) {
      for (const use of counted.values()) add(use.day, use.keyId, use.requests, use.limited, use.lastUsedAt)
      throw error
    }
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    await flush().catch(onError)
  }

  return { count, flush, stop }
}
