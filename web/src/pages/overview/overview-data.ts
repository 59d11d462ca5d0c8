import { useTranslation } from 'react-i18next'
import type { Overview } from '../../../../client/voucher-api.generated.ts'
import { clock, formatNumber, formatTime, isSameDay, shortDay } from '../../formats.ts'

export type { Overview }

/** Formats numbers, days, times and durations in the language of the page. Times are in the given time zone. */
export function useFormats(timeZone: string) {
  const { t } = useTranslation()
  return {
    number: (value: number) => formatNumber(value),
    percent: (share: number, digits = 0) => formatNumber(share, { style: 'percent', maximumFractionDigits: digits }),
    /** `17 Oct`, from `2026-10-17`. */
    day: (day: string, options: Parameters<typeof formatTime>[1] = shortDay) =>
      formatTime(day, { timeZone: 'UTC', ...options }),
    /** A time without "ago": `09:12`, `Friday` or `2 Nov`. */
    since: (at: string) => {
      const [time, now] = [new Date(at), new Date()]
      if (isSameDay(time, now, timeZone)) return formatTime(time, { timeZone, ...clock })
      const isRecent = now.getTime() - time.getTime() < 6 * 86_400_000
      return formatTime(time, { timeZone, ...(isRecent ? { weekday: 'long' } : shortDay) })
    },
    duration: (seconds: number) => {
      const minutes = Math.max(1, Math.round(seconds / 60))
      if (minutes < 90) return t('overview.minutes', { count: minutes })
      const hours = Math.round(minutes / 60)
      return hours < 72
        ? t('overview.hours', { count: hours })
        : t('overview.days-long', { count: Math.round(hours / 24) })
    },
    daysUntil: (at: string) => Math.max(0, Math.ceil((new Date(at).getTime() - Date.now()) / 86_400_000)),
  }
}

export type Formats = ReturnType<typeof useFormats>

const steps = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80]

/** Four round ticks from 0 to at least `max`. */
export function roundTicks(max: number): number[] {
  const least = Math.max(1, max) / 3
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)) - 1)
  const step = (steps.find((each) => each * power >= least) ?? 100) * power
  return [0, step, 2 * step, 3 * step]
}

/** The days that get a label: the first, then one every few days or weeks, and today. None is too close to today. */
export function labelledDays(days: string[], isPhone: boolean): string[] {
  const every = days.length <= 7 ? (isPhone ? 2 : 1) : days.length <= 30 ? (isPhone ? 14 : 7) : isPhone ? 35 : 14
  const last = days.length - 1
  return days.filter((_, i) => i === last || (i % every === 0 && last - i >= every / 2))
}
