import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatTimeIn } from '#lib/intl-formats.ts'
import { browserZone } from '../formats.ts'

/** Names the time zone of the times on a page, if the clock of this computer shows another time. Each page has it once. */
export function ZoneNote({ timeZone }: { timeZone: string }) {
  const { t } = useTranslation()
  if (hasSameClock(timeZone, browserZone())) return null
  return (
    <Text fz={12} c="dimmed">
      {t('app.all-times', { timeZone })}
    </Text>
  )
}

/** True if clocks in both zones show the same time, in winter and in summer, such as in Vienna and Berlin. */
export function hasSameClock(one: string, other: string, year = new Date().getFullYear()): boolean {
  const clock = (at: number, timeZone: string) =>
    formatTimeIn('en', new Date(at), { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return [0, 6].every((month) => {
    const at = Date.UTC(year, month)
    return clock(at, one) === clock(at, other)
  })
}
