import { readFileSync } from 'node:fs'

const locales = { en: 'en-GB', de: 'de-DE' }
export type Language = keyof typeof locales

/** Finds texts of the web app by their key, so that one test works in both languages. */
export function wordsOf(language: Language) {
  const texts = JSON.parse(readFileSync(new URL(`../../web/src/i18n/${language}.json`, import.meta.url), 'utf8'))
  const find = (key: string): string => {
    const text = key.split('.').reduce((part, name) => part?.[name], texts)
    if (typeof text !== 'string') throw new Error(`There is no text ${key}`)
    return text
  }
  /** The text with `values` in its placeholders. */
  const t = (key: string, values: Record<string, string | number> = {}): string =>
    find(key).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))
  return { locale: locales[language], t }
}
