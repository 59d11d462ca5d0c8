import { expect, test } from 'vitest'
import { shortTime } from './moment.tsx'

const now = new Date('2026-11-15T12:30:00Z') // a Sunday

test.each([
  ['2026-11-15T12:30:00Z', 'now', 'jetzt'],
  ['2026-11-15T12:29:48Z', '12 sec ago', 'vor 12 Sek.'],
  ['2026-11-15T12:25:10Z', '4 min ago', 'vor 4 Min.'],
  ['2026-11-15T08:05:00Z', '09:05', '09:05'],
  ['2026-11-14T17:47:00Z', 'Sat 18:47', 'Sa., 18:47'],
  ['2026-11-02T10:00:00Z', '2 Nov', '2. Nov.'],
  ['2025-11-02T10:00:00Z', '2 Nov 2025', '2. Nov. 2025'],
  ['2026-11-14T23:30:00Z', '00:30', '00:30'],
])('%s is %j in English and %j in German, in the time zone of the site', (at, en, de) => {
  const shown = (language: 'de' | 'en') => shortTime(new Date(at), { now, language, timeZone: 'Europe/Berlin' })

  expect([shown('en'), shown('de')]).toEqual([en, de])
})
