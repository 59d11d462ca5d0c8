export type Language = 'de' | 'en'

/** The language that the client prefers; English if it has no preference. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const preferences = (acceptLanguage ?? '').split(',').map(readPreference)
  const weightOf = (language: Language) =>
    Math.max(0, ...preferences.filter((preference) => preference.language === language).map(({ q }) => q))
  return weightOf('de') > weightOf('en') ? 'de' : 'en'
}

/** Reads one preference such as `en-GB;q=0.8`. */
function readPreference(text: string): { language: string; q: number } {
  const [tag = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return { language: tag.split('-', 1)[0] as string, q: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 0 }
}
