import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Language } from '../i18n/i18n.ts'

/** A time in short form; the tooltip has the full time. Without `timeZone`, the time zone of the browser is used. */
export function Moment({ at, timeZone }: { at: string | Date; timeZone?: string }) {
  const { i18n } = useTranslation()
  const now = useNow()
  const language = i18n.language as Language
  const date = new Date(at)
  const full = formatTime(date, language, timeZone, { dateStyle: 'full', timeStyle: 'long' })
  return (
    <Tooltip label={full}>
      <time dateTime={date.toISOString()}>{shortTime(date, { now, language, ...(timeZone && { timeZone }) })}</time>
    </Tooltip>
  )
}

function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

const locales = { de: 'de-DE', en: 'en-GB' }

type Options = { now: Date; language: Language; timeZone?: string }

/** "12 sec ago" or "4 min ago" within the last hour, then 12:21, then Sat 18:47, then 2 Nov. */
export function shortTime(date: Date, { now, language, timeZone }: Options): string {
  const seconds = Math.round((now.getTime() - date.getTime()) / 1000)
  const relative = new Intl.RelativeTimeFormat(locales[language], { numeric: 'auto', style: 'short' })
  if (Math.abs(seconds) < 60) return relative.format(-Math.max(0, seconds), 'second')
  if (seconds >= 0 && seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute')
  const time = { hour: '2-digit', minute: '2-digit' } as const
  const dayOf = (day: Date) => formatTime(day, 'en', timeZone, { dateStyle: 'short' })
  if (dayOf(date) === dayOf(now)) return formatTime(date, language, timeZone, time)
  if (Math.abs(seconds) < 6 * 86_400) return formatTime(date, language, timeZone, { weekday: 'short', ...time })
  const isThisYear = date.getFullYear() === now.getFullYear()
  return formatTime(date, language, timeZone, {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
  })
}

function formatTime(
  date: Date,
  language: Language,
  timeZone: string | undefined,
  options: Intl.DateTimeFormatOptions,
): string {
  return new Intl.DateTimeFormat(locales[language], { ...options, ...(timeZone && { timeZone }) }).format(date)
}
