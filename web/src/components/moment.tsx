import { Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useNow } from '../clock.ts'
import { clock, formatDistance, formatTime, fullTime, isSameDay, shortDay } from '../formats.ts'
import type { Language } from '../i18n/i18n.ts'

type Props = { at: string | Date; timeZone: string }

/** A time in short form; the tooltip has the full time. */
export function Moment({ at, timeZone }: Props) {
  const { i18n } = useTranslation()
  const now = useNow()
  const date = new Date(at)
  const language = i18n.language as Language
  return (
    <Tooltip label={<FullTime at={date} timeZone={timeZone} />}>
      <time dateTime={date.toISOString()}>{shortTime(date, { now, language, timeZone })}</time>
    </Tooltip>
  )
}

/** A component, so that it is formatted only when somebody sees it. */
function FullTime({ at, timeZone }: Props) {
  return formatTime(at, { ...fullTime, timeZone })
}

type Options = { now: Date; language: Language; timeZone?: string }

/** "12 sec ago" or "4 min ago" within the last hour, then 12:21, then Sat 18:47, then 2 Nov. */
export function shortTime(date: Date, { now, language, timeZone }: Options): string {
  const seconds = Math.round((now.getTime() - date.getTime()) / 1000)
  if (Math.abs(seconds) < 60) return formatDistance(-Math.max(0, seconds), 'second', language)
  if (seconds >= 0 && seconds < 3600) return formatDistance(-Math.floor(seconds / 60), 'minute', language)
  if (isSameDay(date, now, timeZone)) return formatTime(date, { ...clock, timeZone }, language)
  if (Math.abs(seconds) < 6 * 86_400) return formatTime(date, { weekday: 'short', ...clock, timeZone }, language)
  const isThisYear = date.getFullYear() === now.getFullYear()
  return formatTime(date, { ...shortDay, ...(!isThisYear && { year: 'numeric' }), timeZone }, language)
}
