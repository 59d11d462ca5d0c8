import { expect, test } from 'vitest'
import { createCalendar } from '#lib/clock.ts'
import { listDayStarts } from './controller-days.ts'

test.each(['UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu'])(
  'the last 30 days begin at midnight in %s',
  (timeZone) => {
    const today = createCalendar(timeZone)
    const now = new Date('2026-11-16T15:00:00Z') // the clocks of Europe changed on 25 October
    const starts = listDayStarts(today, now)
    const days = starts.map((start) => today(start))

    expect(new Set(days).size).toBe(30)
    expect(days.at(-1)).toBe(today(now))
    for (const start of starts) expect(today(new Date(start.getTime() - 1_000))).not.toBe(today(start))
  },
)

test('the day on which the clocks go back has 25 hours', () => {
  const starts = listDayStarts(createCalendar('Europe/Berlin'), new Date('2026-11-01T12:00:00Z'))
  const hours = starts.slice(1).map((start, i) => (Number(start) - Number(starts[i])) / 3_600_000)

  expect(hours.filter((each) => each !== 24)).toEqual([25])
})
