import { Refused } from './problems.ts'

/** An offset can carry a time out of the years that are written with four digits, which PostgreSQL does not read back. */
const fourDigits = /^\d{4}-/

/** The format lets a leap second pass, which no clock here knows. */
export function toTime(field: string, text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime()) || !fourDigits.test(time.toISOString()))
    throw new Refused('parameter_invalid', field)
  return time
}

export function isoOrNull(time: Date | null): string | null {
  return time?.toISOString() ?? null
}
