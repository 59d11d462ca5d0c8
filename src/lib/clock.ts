/** Tells the time. In the service this is the database's time, so that all processes agree. */
export type Clock = { now(): Date }

/** This machine's own time. Do not compare it with times in the record. */
export const machineClock: Clock = { now: () => new Date() }

/** Gives the local date in its time zone, as YYYY-MM-DD. */
export type Calendar = { (at: Date): string; timeZone: string }

const dayMs = 86_400_000

/** When the day of this moment ends: the first moment of the next day. A day has 23 to 25 hours. */
export function endOfDay(calendar: Calendar, at: Date): Date {
  const day = calendar(at)
  let [within, after] = [at.getTime(), at.getTime() + 1.25 * dayMs]
  while (after - within > 1) {
    const middle = Math.floor((within + after) / 2)
    if (calendar(new Date(middle)) === day) within = middle
    else after = middle
  }
  return new Date(after)
}

/** Create it once: the formatter is expensive. */
export function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return Object.assign((at: Date) => format.format(at), { timeZone })
}
