import { Tooltip } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNow } from '../clock.ts'
import { clock, formatDistance, formatTime, fullTime, isSameDay, shortDay } from '../formats.ts'
import type { Language } from '../i18n/i18n.ts'
import { tooltipDelayMs } from '../theme.ts'

type Props = { at: string | Date; timeZone: string }

/**
 * A time in short form; the tooltip has the full time. The tooltip is added when somebody points at the time: a table has a hundred of
 * them, and even a closed one takes as long as a whole row.
 */
export function Moment({ at, timeZone }: Props) {
  const { i18n } = useTranslation()
  const now = useNow()
  const date = new Date(at)
  const language = i18n.language as Language
  const time = useRef<HTMLTimeElement>(null)
  const [hasTooltip, setHasTooltip] = useState(false)
  const { start, clear } = useTimeout(() => setHasTooltip(true), tooltipDelayMs)
  return (
    <>
      <time
        ref={time}
        dateTime={date.toISOString()}
        onPointerEnter={({ pointerType }) => pointerType === 'mouse' && start()}
        onPointerLeave={clear}
      >
        {shortTime(date, { now, language, timeZone })}
      </time>
      {hasTooltip && <Tooltip target={time} defaultOpened label={<FullTime at={date} timeZone={timeZone} />} />}
    </>
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
