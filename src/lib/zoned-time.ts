import { formatterOfTimes } from './intl-formats.ts'

const dayMs = 86_400_000

/** The moment at which clocks in this zone show the wall time, for example `2026-11-18T11:00`. Check texts with `isWallTime` first. */
export function fromWallTime(wall: string, timeZone: string): Date {
  if (!isWallTime(wall)) throw new RangeError(`${wall} is not a date with a time of day`)
  return toInstant(Date.parse(`${wall}Z`), timeZone)
}

/** False for days and times that no calendar has. `Date.parse` reads 31 February as 3 March, and 24:00 as the next day. */
export function isWallTime(text: string): boolean {
  const ms = Date.parse(`${text}Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === `${text}:00.000Z`
}

/** The same time of day this many calendar days later: 11:00 stays 11:00 when the clocks change. */
export function addCalendarDays(at: Date, days: number, timeZone: string): Date {
  return toInstant(wallMs(at, timeZone) + days * dayMs, timeZone)
}

/** The calendar days from one moment to another; null if clocks in this zone show different times of day. */
export function calendarDaysBetween(from: Date, to: Date, timeZone: string): number | null {
  const days = (wallMs(to, timeZone) - wallMs(from, timeZone)) / dayMs
  return Number.isInteger(days) ? days : null
}

/** The time on the clocks of this zone, as milliseconds of a clock in UTC that shows the same. */
function wallMs(at: Date, timeZone: string): number {
  return at.getTime() + offsetMs(at.getTime(), timeZone)
}

/** The moment at which clocks in this zone show what a clock in UTC shows at `wall` milliseconds. */
export function toInstant(wall: number, timeZone: string): Date {
  // The offset at the guess is wrong only near a change of the clocks; the second step corrects it.
  const guess = wall - offsetMs(wall, timeZone)
  return new Date(wall - offsetMs(guess, timeZone))
}

const shownParts = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const

function offsetMs(at: number, timeZone: string): number {
  const parts = formatterOfTimes('en-GB', { timeZone, ...shownParts }).formatToParts(at)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return shown - Math.floor(at / 1000) * 1000
}
