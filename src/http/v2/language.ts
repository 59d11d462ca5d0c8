export type Language = 'de' | 'en'

/** The language that the client likes best of the two; German when it does not say. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? '').split(',').map(readWish)
  const weightOf = (language: Language) => Math.max(0, ...wishes.filter((w) => w.language === language).map((w) => w.q))
  return weightOf('en') > weightOf('de') ? 'en' : 'de'
}

/** `en-GB;q=0.8` */
function readWish(text: string): { language: string; q: number } {
  const [tag = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return { language: tag.split('-', 1)[0] as string, q: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 0 }
}
