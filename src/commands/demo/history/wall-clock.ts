import type { Calendar } from '#lib/clock.ts'
import { toInstant } from '#lib/zoned-time.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Gives the time at which clocks in a time zone show these minutes after midnight of a day (YYYY-MM-DD). */
export type WallClock = (day: string, minutes: number) => Date

export function createWallClock({ timeZone }: Pick<Calendar, 'timeZone'>): WallClock {
  return (day, minutes) => toInstant(Date.parse(day) + Math.round(minutes * 60) * 1000, timeZone)
}

export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, 10)
}

/** 0 is Sunday. */
export function weekdayOf(day: string): number {
  return new Date(Date.parse(day)).getUTCDay()
}

export function minutesAfter(time: Date, minutes: number): Date {
  return new Date(time.getTime() + Math.round(minutes * 60) * 1000)
}

export function minutesBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / minuteMs
}
