import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Overview } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { useScope } from '../../sites.ts'

export type { Overview }

export type Days = 7 | 30 | 90

/** The overview of the chosen site or, without one, of all sites of the person. */
export function useOverview(days: Days) {
  const { sites, site } = useScope()
  const siteId = site?.id
  return useQuery({
    queryKey: ['overview', siteId, days],
    enabled: sites !== undefined, // until the sites are loaded, the chosen site is unknown
    queryFn: () => api.getOverview({ days, ...(siteId !== undefined && { site_id: siteId }) }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}

const locales: Record<string, string> = { de: 'de-DE', en: 'en-GB' }

/** Formats numbers, days, times and durations in the language of the page. Times are in the time zone of the overview. */
export function useFormats(timeZone: string) {
  const { i18n, t } = useTranslation()
  const locale = locales[i18n.language] ?? 'en-GB'
  const format = (at: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options }).format(at)
  const number = (value: number) => new Intl.NumberFormat(locale).format(value)
  return {
    number,
    percent: (share: number, digits = 0) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits }).format(share),
    /** `17 Oct`, from `2026-10-17`. */
    day: (day: string, options: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }) =>
      format(new Date(day), { timeZone: 'UTC', ...options }),
    /** A time without "ago": `09:12`, `Friday` or `2 Nov`. */
    since: (at: string) => {
      const [time, now] = [new Date(at), new Date()]
      const dayOf = (date: Date) => format(date, { dateStyle: 'short' })
      if (dayOf(time) === dayOf(now)) return format(time, { hour: '2-digit', minute: '2-digit' })
      const isRecent = now.getTime() - time.getTime() < 6 * 86_400_000
      return format(time, isRecent ? { weekday: 'long' } : { day: 'numeric', month: 'short' })
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
