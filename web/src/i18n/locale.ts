const defaults = { de: 'de-DE', en: 'en-GB' }
let locales = defaults

/** Uses the locales that the browser prefers, such as `en-US` or `de-AT`. A tag without a region does not say how dates look. */
export function chooseLocales(tags: readonly string[]): void {
  const preferred = (language: 'de' | 'en') => tags.find((tag) => tag.startsWith(`${language}-`)) ?? defaults[language]
  locales = { de: preferred('de'), en: preferred('en') }
}

/** The locale for dates and numbers in a language of the app. */
export function localeOf(language: string): string {
  return language === 'de' ? locales.de : locales.en
}
