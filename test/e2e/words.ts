import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const locales = { en: 'en-GB', de: 'de-DE' }
export type Language = keyof typeof locales

const web = fileURLToPath(new URL('../../web/src/', import.meta.url))

/** Finds texts of the web app by their key, so that one test works in both languages. */
export function wordsOf(language: Language) {
  const dictionaries = globSync(`**/${language}.json`, { cwd: web })
  const texts = Object.assign({}, ...dictionaries.map((path) => JSON.parse(readFileSync(web + path, 'utf8'))))
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
