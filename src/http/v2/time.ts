import { Refused } from './problems.ts'

/** The format lets a leap second pass, which no clock here knows. */
export function toTime(field: string, text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Refused('parameter_invalid', field)
  return time
}

export function isoOrNull(time: Date | null): string | null {
  return time?.toISOString() ?? null
}
