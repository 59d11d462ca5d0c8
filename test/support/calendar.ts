/** Today's date in this time zone, computed in another way than in the service. */
export function calendarToday(timeZone: string): () => string {
  return () => {
    const parts = new Intl.DateTimeFormat('en-GB', { timeZone }).formatToParts(new Date())
    const part = (type: string) => parts.find((known) => known.type === type)?.value
    return `${part('year')}-${part('month')}-${part('day')}`
  }
}
