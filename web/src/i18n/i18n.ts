import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Person } from '../../../client/voucher-api.generated.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en }
    enableSelector: false
  }
}

export type Language = NonNullable<Person['language']>

const storageKey = 'vs.language'

/** Language of a new visitor: the one that was chosen on this computer, otherwise the one that the browser prefers. */
function firstLanguage(): Language {
  const chosen = localStorage.getItem(storageKey)
  if (chosen === 'de' || chosen === 'en') return chosen
  const known = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag === 'de' || tag === 'en')
  return known === 'de' ? 'de' : 'en'
}

/** Call this once, before the first component renders. */
export function startI18n(): void {
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language
  })
  document.documentElement.lang = firstLanguage()
  void i18next.use(initReactI18next).init({
    lng: firstLanguage(),
    fallbackLng: 'en',
    resources: { de: { translation: de }, en: { translation: en } },
    interpolation: { escapeValue: false }, // React escapes
    initAsync: false,
  })
}

/** Keeps the choice on this computer too, for the sign-in page. */
export function changeLanguage(language: Language): void {
  localStorage.setItem(storageKey, language)
  if (currentLanguage() !== language) void i18next.changeLanguage(language)
}

export function currentLanguage(): Language {
  return i18next.language === 'de' ? 'de' : 'en'
}
