import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Person } from '../../../client/voucher-api.generated.ts'
import type controller from '../components/controller/en.json'
import type guestInfo from '../components/guest-info/en.json'
import type audit from '../pages/audit/en.json'
import type many from '../pages/desk/many/en.json'
import type firstRun from '../pages/first-run/en.json'
import type keys from '../pages/keys/en.json'
import type overview from '../pages/overview/en.json'
import type settings from '../pages/settings/en.json'
import type sites from '../pages/sites/en.json'
import type vouchers from '../pages/vouchers/en.json'
import type webhooks from '../pages/webhooks/en.json'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

/** Texts of pages that are loaded later. Each of them has its own groups. */
type PageTexts = typeof audit &
  typeof controller &
  typeof firstRun &
  typeof guestInfo &
  typeof many &
  typeof keys &
  typeof overview &
  typeof settings &
  typeof sites &
  typeof vouchers &
  typeof webhooks

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en & PageTexts }
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

/** Adds the texts of a page that is loaded later. Call it in the module of the page, before its component renders. */
export function addTexts(texts: Record<Language, object>): void {
  for (const [language, groups] of Object.entries(texts))
    i18next.addResourceBundle(language, 'translation', groups, true, true)
}

/** Keeps the choice on this computer too, for the sign-in page. */
export function changeLanguage(language: Language): void {
  localStorage.setItem(storageKey, language)
  if (currentLanguage() !== language) void i18next.changeLanguage(language)
}

export function currentLanguage(): Language {
  return i18next.language === 'de' ? 'de' : 'en'
}
