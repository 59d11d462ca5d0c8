import { wallClock } from '../../formats.ts'

/** A time on a wall clock without a zone: `2026-11-18 11:00:00`, as the date picker writes it. */
export type WallTime = string

/** The moment at which clocks in this zone show the wall time. */
export function toInstant(wall: WallTime, timeZone: string): Date {
  const asUtc = Date.parse(`${wall.slice(0, 10)}T${wall.slice(11, 16) || '00:00'}Z`)
  // The offset at the guess is wrong only near a change of the clocks; the second step corrects it.
  const guess = asUtc - offsetMs(asUtc, timeZone)
  return new Date(asUtc - offsetMs(guess, timeZone))
}

/** The wall time in this zone at a moment. */
export function toWallTime(at: Date, timeZone: string): WallTime {
  const ms = at.getTime()
  return new Date(ms + offsetMs(ms, timeZone)).toISOString().slice(0, 16).replace('T', ' ').concat(':00')
}

/** The wall time this many calendar days later, at the same time of day. */
export function addDays(wall: WallTime, days: number): WallTime {
  const date = new Date(`${wall.slice(0, 10)}T00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return `${date.toISOString().slice(0, 10)}${wall.slice(10)}`
}

/** Tomorrow at 11:00, when most stays end. */
export function tomorrowAt11(now: Date, timeZone: string): WallTime {
  return `${addDays(toWallTime(now, timeZone), 1).slice(0, 10)} 11:00:00`
}

function offsetMs(at: number, timeZone: string): number {
  const { year = 0, month = 1, day, hour, minute, second } = wallClock(at, timeZone)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}
