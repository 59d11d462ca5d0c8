import type { Queryable } from '#db/database.ts'
import type { Calendar } from '#lib/clock.ts'
import { findControllerOfSite, findLastOutage, listOutagesOfSite } from './attention.queries.ts'

const shownDays = 30
const dayMs = 86_400_000

export type ControllerDays = {
  name: string
  /** The last 30 days, earliest first. `null`: the controller was not recorded yet. */
  days: { day: string; unreachableSeconds: number | null }[]
  unreachableSeconds: number
  /** The time since the controller was recorded, at most 30 days. */
  observedSeconds: number
  outages: number
  /** When the last outage ended, or when the controller was recorded. Null during an outage. */
  reachableSince: Date | null
  syncedAt: Date | null
}

/** The last 30 days of a site's controller. Undefined if there is no such site or the actor may not use it. */
export async function readControllerDays(
  { db, today }: { db: Queryable; today: Calendar },
  siteId: number,
  onlySitesOf: string | null,
): Promise<ControllerDays | undefined> {
  const controller = await findControllerOfSite(db, siteId, onlySitesOf)
  if (!controller) return undefined
  const { name, createdAt, syncedAt, now } = controller
  const starts = listDayStarts(today, now)
  const begin = new Date(Math.max(Number(starts[0]), Number(createdAt)))
  const outages = await listOutagesOfSite(db, siteId, begin)
  const seconds = (from: Date, to: Date) =>
    Math.round(outages.reduce((sum, { since, until }) => sum + overlapMs(from, to, since, until ?? now), 0) / 1000)
  const days = starts.map((start, i) => {
    const end = starts[i + 1] ?? now
    return { day: today(start), unreachableSeconds: end <= begin ? null : seconds(start < begin ? begin : start, end) }
  })
  const last = await findLastOutage(db, siteId)
  return {
    name,
    days,
    unreachableSeconds: days.reduce((sum, { unreachableSeconds }) => sum + (unreachableSeconds ?? 0), 0),
    observedSeconds: Math.round((Number(now) - Number(begin)) / 1000),
    outages: outages.length,
    reachableSince: last ? last.until : createdAt,
    syncedAt,
  }
}

function overlapMs(from: Date, to: Date, since: Date, until: Date): number {
  return Math.max(0, Math.min(Number(to), Number(until)) - Math.max(Number(from), Number(since)))
}

/** The times at which the last 30 days began in the calendar's time zone, earliest first. */
export function listDayStarts(today: Calendar, now: Date): Date[] {
  const last = Date.parse(today(now))
  return Array.from({ length: shownDays }, (_, i) => startOf(today, last - (shownDays - 1 - i) * dayMs))
}

/** The first second of the day that begins at this time in UTC. Local days begin up to 14 hours before or after it. */
function startOf(today: Calendar, utc: number): Date {
  const day = new Date(utc).toISOString().slice(0, 10)
  let [before, within] = [utc - 15 * 3_600_000, utc + 15 * 3_600_000]
  while (within - before > 1_000) {
    const middle = before + Math.floor((within - before) / 2_000) * 1_000
    if (today(new Date(middle)) < day) before = middle
    else within = middle
  }
  return new Date(within)
}
