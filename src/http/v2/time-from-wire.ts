import { Refused } from './problems.ts'

/** An absolute moment, whatever the offset it is written with. The format lets a leap second pass, which no clock here knows. */
export function toTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Refused('parameter_invalid', field)
  return time
}
