/** Tells the time. In the service this is the database's time, so that all processes agree. */
export type Clock = { now(): Date }

/** This machine's own time. Do not compare it with times in the record. */
export const machineClock: Clock = { now: () => new Date() }

/** Gives the local date in its time zone, as YYYY-MM-DD. */
export type Calendar = { (at: Date): string; timeZone: string }

/** Create it once: the formatter is expensive. */
export function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return Object.assign((at: Date) => format.format(at), { timeZone })
}
