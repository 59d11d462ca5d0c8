/**
 * Times, numbers, lists and plurals in the words of a locale, in the browser and on the server. The first formatter of a kind costs up to
 * a tenth of the start of the desk on a slow computer, so each one is created when it is needed, and kept.
 */
export function kept<Options extends object, Formatter>(create: (locale: string, options: Options) => Formatter) {
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
const lists = kept((locale, options: Intl.ListFormatOptions) => new Intl.ListFormat(locale, options))
const plurals = kept((locale, options: Intl.PluralRulesOptions) => new Intl.PluralRules(locale, options))

export type PluralRule = Intl.LDMLPluralRule

/** Without `timeZone`, the zone of the machine is used. */
export type DateOptions = Omit<Intl.DateTimeFormatOptions, 'timeZone'> & { timeZone?: string | undefined }

export function formatTimeIn(locale: string, at: Date | string, options: DateOptions): string {
  return formatterOfTimes(locale, options).format(new Date(at))
}

export function formatterOfTimes(locale: string, { timeZone, ...options }: DateOptions): Intl.DateTimeFormat {
  return dates(locale, { ...options, ...(timeZone !== undefined && { timeZone }) })
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
