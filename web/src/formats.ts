import { type DateOptions, formatNumberIn, formatTimeIn, formatterOfTimes, kept } from '#lib/intl-formats.ts'
import { currentLanguage, type Language } from './i18n/i18n.ts'
import { localeOf } from './i18n/locale.ts'

const relatives = kept(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
)
const languages = kept((locale, options: Intl.DisplayNamesOptions) => new Intl.DisplayNames(locale, options))
const collators = kept((_locale, options: Intl.CollatorOptions) => new Intl.Collator(undefined, options))

/** The time of day: 12:30. */
export const clock = { hour: '2-digit', minute: '2-digit' } as const
/** A day of this year: 18 Nov. */
export const shortDay = { day: 'numeric', month: 'short' } as const
/** For the middle of a sentence: Wed 18 Nov, 12:30. */
export const dayAndClock = { weekday: 'short', ...shortDay, ...clock } as const
/** For tooltips. */
export const fullTime = { dateStyle: 'full', timeStyle: 'long' } as const

/** A time in the language of the page, or in another one. */
export function formatTime(at: Date | string, options: DateOptions, language: Language = currentLanguage()): string {
  return formatTimeIn(localeOf(language), at, options)
}

/** Whether two times are on the same day in this zone. */
export function isSameDay(a: Date, b: Date, timeZone: string | undefined): boolean {
  const dayOf = (date: Date) => formatTimeIn('en', date, { timeZone, dateStyle: 'short' })
  return dayOf(a) === dayOf(b)
}

/** The numbers that clocks and calendars in this zone show. */
export function wallClock(at: number, timeZone: string): Record<string, number> {
  const two = '2-digit'
  const shown = {
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
    hourCycle: 'h23',
  } as const
  const parts = formatterOfTimes('en', { timeZone, ...shown }).formatToParts(at)
  return Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]))
}

/** "in 4 min", "12 sec ago". */
export function formatDistance(
  count: number,
  unit: 'second' | 'minute' | 'hour',
  language: Language = currentLanguage(),
): string {
  return relatives(localeOf(language), { numeric: 'auto', style: 'short' }).format(count, unit)
}

export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  return formatNumberIn(localeOf(currentLanguage()), value, options)
}

export function languageName(language: string): string {
  return languages(currentLanguage(), { type: 'language' }).of(language) ?? language
}

/** For lists of names: Hotel 9 is before Hotel 10. */
export function compareNames(a: string, b: string): number {
  return collators('', { numeric: true }).compare(a, b)
}

/** The zone of times that do not belong to a site. */
export function browserZone(): string {
  return formatterOfTimes('en', {}).resolvedOptions().timeZone
}

export function allTimeZones(): string[] {
  return Intl.supportedValuesOf('timeZone')
}
