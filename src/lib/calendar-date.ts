/** The date on the wall in that time zone, as YYYY-MM-DD. */
export function calendarDate(timeZone: string, at: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at)
}
