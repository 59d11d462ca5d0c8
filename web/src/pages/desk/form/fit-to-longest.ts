import { type CustomLimits, checkInput, custom } from '../../../components/creation/desk-input.ts'
import { toWallTime } from '../../../components/voucher/zoned-time.ts'

type Options = { longest: number; timeZone: string; now?: number }

/** The longest duration that is allowed, if the one of the form is longer. Less than an hour is possible only as an end. */
export function fitToLongest(
  limits: CustomLimits,
  { longest, timeZone, now = Date.now() }: Options,
): Partial<CustomLimits> | undefined {
  const { amount, until } = checkInput({ name: 'x', choice: custom, limits }, timeZone, { now, longest })
  if (until === 'longest') return { until: toWallTime(new Date(now + longest * 60_000), timeZone) }
  if (amount !== 'longest' || longest < 60) return undefined
  return longest % 1440 === 0
    ? { unit: 'days', amount: longest / 1440 }
    : { unit: 'hours', amount: Math.floor(longest / 60) }
}
