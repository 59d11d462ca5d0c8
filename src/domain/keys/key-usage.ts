import type { Queryable } from '#db/database.ts'
import { calendarDate } from '#lib/calendar-date.ts'
import { type KeyUse, updateKeyUse } from './keys.queries.ts'

const flushEveryMs = 10_000

export type KeyUsage = {
  count(keyId: string, accepted: boolean): void
  flush(): Promise<void>
  stop(): Promise<void>
}

/** Counts in memory and writes now and then: a write per request would cost more than the request. */
export function countKeyUsage(db: Queryable, timeZone: string, onError: (error: unknown) => void): KeyUsage {
  let uses = new Map<string, KeyUse>()
  const timer = setInterval(() => void flush().catch(onError), flushEveryMs)
  timer.unref()

  function count(keyId: string, accepted: boolean): void {
    const use = uses.get(keyId) ?? { keyId, requests: 0, limited: 0, lastUsedAt: new Date() }
    use.requests += 1
    if (!accepted) use.limited += 1
    use.lastUsedAt = new Date()
    uses.set(keyId, use)
  }

  async function flush(): Promise<void> {
    if (uses.size === 0) return
    const counted = uses
    uses = new Map()
    await updateKeyUse(db, calendarDate(timeZone, new Date()), [...counted.values()])
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    await flush().catch(onError)
  }

  return { count, flush, stop }
}
