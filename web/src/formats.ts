import { currentLanguage, type Language } from './i18n/i18n.ts'
import { localeOf } from './i18n/locale.ts'

/**
 * Times, dates, numbers and names of languages in words. The first formatter of a kind costs up to a tenth of the start of the desk
 * on a slow computer, so each one is created when it is needed, and kept.
 */
function kept<Options extends object, Formatter>(create: (locale: string, options: Options) => Formatter) {
  const known = new Map<string, Formatter>()
  return (locale: string, options: Options): Formatter => {
    const key = `${locale} ${JSON.stringify(options)}`
    const formatter = known.get(key) ?? create(locale, options)
    known.set(key, formatter)
    return formatter
  }
}

const dates = kept((locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options))
const numbers = kept((locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options))
const relatives = kept(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
)
const languages = kept((locale, options: Intl.DisplayNamesOptions) => new Intl.DisplayNames(locale, options))
const lists = kept((locale, options: Intl.ListFormatOptions) => new Intl.ListFormat(locale, options))
const plurals = kept((locale, options: Intl.PluralRulesOptions) => new Intl.PluralRules(locale, options))
const collators = kept((_locale, options: Intl.CollatorOptions) => new Intl.Collator(undefined, options))

export type PluralRule = Intl.LDMLPluralRule

/** The time of day: 12:30. */
export const clock = { hour: '2-digit', minute: '2-digit' } as const
/** A day of this year: 18 Nov. */
export const shortDay = { day: 'numeric', month: 'short' } as const
/** For the middle of a sentence: Wed 18 Nov, 12:30. */
export const dayAndClock = { weekday: 'short', ...shortDay, ...clock } as const
/** For tooltips. */
export const fullTime = { dateStyle: 'full', timeStyle: 'long' } as const

/** Without `timeZone`, the zone of the browser is used. */
type DateOptions = Omit<Intl.DateTimeFormatOptions, 'timeZone'> & { timeZone?: string | undefined }

/** A time in the language of the page, or in another one. */
export function formatTime(at: Date | string, options: DateOptions, language: Language = currentLanguage()): string {
  return formatTimeIn(localeOf(language), at, options)
}

export function formatTimeIn(locale: string, at: Date | string, { timeZone, ...options }: DateOptions): string {
  return dates(locale, { ...options, ...(timeZone !== undefined && { timeZone }) }).format(new Date(at))
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
  const parts = dates('en', { timeZone, ...shown }).formatToParts(at)
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

export function formatNumberIn(locale: string, value: number, options: Intl.NumberFormatOptions = {}): string {
  return numbers(locale, options).format(value)
}

export function formatListIn(locale: string, parts: string[]): string {
  return lists(locale, { type: 'conjunction' }).format(parts)
}

export function pluralRuleIn(locale: string, count: number): PluralRule {
  return plurals(locale, {}).select(count)
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
  return dates('en', {}).resolvedOptions().timeZone
}

export function allTimeZones(): string[] {
  return Intl.supportedValuesOf('timeZone')
}
