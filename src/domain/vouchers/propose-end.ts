import { calendarDaysBetween } from '#lib/zoned-time.ts'
import { endOf, type RecordedVoucher } from '../record/voucher.ts'
import { directionOf, endProblem, isOver } from './change-voucher.ts'

/**
 * The meaning of a new end, seen from the present one, and the error with which a change to it would be rejected now.
 * `longestMinutes`: the longest duration that the limits of the actor and the site allow.
 */
export function proposeEnd(
  now: Date,
  voucher: RecordedVoucher & { longestMinutes: number | null },
  validUntil: Date,
  timeZone: string,
) {
  const end = endOf(voucher)
  return {
    days: end && calendarDaysBetween(end, validUntil, timeZone),
    direction: directionOf(end, validUntil) ?? null,
    error: isOver(now, voucher) ? ('voucher_ended' as const) : (endProblem(now, voucher, validUntil) ?? null),
  }
}
