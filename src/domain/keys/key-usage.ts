import type { Queryable } from '#db/database.ts'
import type { Calendar, Clock } from '#lib/clock.ts'
import { type KeyDay, type KeyUse, listKeyDays, updateKeyUse } from './key-usage.queries.ts'

const flushEveryMs = 10_000

export type KeyUsage = {
  /** Counts a request with a secret of the key, which has this prefix. */
  count(key: { id: string; prefix: string }, accepted: boolean): void
  flush(): Promise<void>
  stop(): Promise<void>
}

/** Counts requests in memory and writes the counts every 10 s: a write per request would cost more than the request. */
export function countKeyUsage(
  { db, clock, today }: { db: Queryable; clock: Clock; today: Calendar },
  onError: (error: unknown) => void,
): KeyUsage {
  let uses = new Map<string, KeyUse>()
  let lastWrite = Promise.resolve()
  const timer = setInterval(() => void flush().catch(onError), flushEveryMs)
  timer.unref()

  function add(use: KeyUse): void {
    const name = `${use.day} ${use.prefix}`
    const known = uses.get(name) ?? { ...use, requests: 0, limited: 0 }
    known.requests += use.requests
    known.limited += use.limited
    if (use.lastUsedAt > known.lastUsedAt) known.lastUsedAt = use.lastUsedAt
    uses.set(name, known)
  }

  function count({ id, prefix }: { id: string; prefix: string }, accepted: boolean): void {
    const now = clock.now()
    add({ keyId: id, prefix, day: today(now), requests: 1, limited: accepted ? 0 : 1, lastUsedAt: now })
  }

  /** Writes all counts so far. Waits for a write that is under way, so that all are stored when it resolves. */
  function flush(): Promise<void> {
    lastWrite = lastWrite.then(write, write)
    return lastWrite
  }

  async function write(): Promise<void> {
    if (uses.size === 0) return
    const counted = uses
    uses = new Map()
    try {
      await updateKeyUse(db, [...counted.values()])
    } catch (error) {
      for (const use of counted.values()) add(use)
      throw error
    }
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    await flush().catch(onError)
  }

  return { count, flush, stop }
}

/** How many days of usage are shown. */
export const usageDays = 14

/** Requests per day, oldest first. The last day is today. */
export type DailyUsage = { firstDay: string; requests: number[]; limited: number[] }

/** The usage of the last 14 days by key. Days without requests are 0. It is at most 10 s behind. */
export async function readDailyUsage(
  { db, today }: { db: Queryable; today: Calendar },
  keyIds: string[],
  now: Date,
): Promise<(keyId: string) => DailyUsage> {
  const days = lastDays(today(now))
  const firstDay = days[0] as string
  const byKey = Map.groupBy(await listKeyDays(db, keyIds, firstDay), ({ keyId }) => keyId)
  return (keyId) => {
    const counted = new Map(byKey.get(keyId)?.map((each): [string, KeyDay] => [each.day, each]))
    return {
      firstDay,
      requests: days.map((day) => counted.get(day)?.requests ?? 0),
      limited: days.map((day) => counted.get(day)?.limited ?? 0),
    }
  }
}

function lastDays(today: string): string[] {
  const noon = Date.parse(`${today}T12:00:00Z`)
  const ago = (days: number) => new Date(noon - days * 86_400_000).toISOString().slice(0, 10)
  return Array.from({ length: usageDays }, (_, i) => ago(usageDays - 1 - i))
}
