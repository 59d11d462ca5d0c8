/** Tells the date on the wall in that time zone, as YYYY-MM-DD. Made once: the formatter is expensive, the date is not. */
export function createCalendar(timeZone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (at) => format.format(at)
}
