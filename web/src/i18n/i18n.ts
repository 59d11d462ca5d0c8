import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Person } from '../../../client/voucher-api.generated.ts'
import { rememberChoice } from '../preferences.ts'
import { chooseLocales } from './locale.ts'

/** The texts of the first load, and those of parts that are loaded later. Each of them has its own groups. */
type Texts = typeof import('./en.json') &
  typeof import('../components/controller/en.json') &
  typeof import('../components/guest-info/en.json') &
  typeof import('../components/idle/en.json') &
  typeof import('../components/issuing/en.json') &
  typeof import('../components/provider/en.json') &
  typeof import('../components/second-factor/en.json') &
  typeof import('../components/shell/en.json') &
  typeof import('../components/unencrypted/en.json') &
  typeof import('../components/voucher/email/en.json') &
  typeof import('../components/voucher/extend/en.json') &
  typeof import('../pages/audit/en.json') &
  typeof import('../pages/desk/day-limit/en.json') &
  typeof import('../pages/desk/en.json') &
  typeof import('../pages/desk/many/en.json') &
  typeof import('../pages/first-run/en.json') &
  typeof import('../pages/keys/en.json') &
  typeof import('../pages/me/en.json') &
  typeof import('../pages/overview/en.json') &
  typeof import('../pages/password/en.json') &
  typeof import('../pages/settings/email/en.json') &
  typeof import('../pages/settings/en.json') &
  typeof import('../pages/settings/guest-data/en.json') &
  typeof import('../pages/settings/sign-in/en.json') &
  typeof import('../pages/settings/slips/en.json') &
  typeof import('../pages/sites/en.json') &
  typeof import('../pages/vouchers/en.json') &
  typeof import('../pages/webhooks/en.json')

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Texts }
    enableSelector: false
  }
}

export type Language = NonNullable<Person['language']>

/** Starts in the language of the page that the service sent. Call this once, before the first component renders. */
export async function startI18n(): Promise<void> {
  chooseLocales(navigator.languages)
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language
  })
  await initTexts(document.documentElement.lang === 'de' ? 'de' : 'en')
}

export async function initTexts(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: {},
    interpolation: { escapeValue: false }, // React escapes
    initAsync: false,
  })
  await showLanguage(language)
}

const loadTexts = { de: () => import('./de.json'), en: () => import('./en.json') }

/** Loads the texts of a language and then shows them. Most people never need the other language. */
export async function showLanguage(language: Language): Promise<void> {
  i18next.addResourceBundle(language, 'translation', (await loadTexts[language]()).default, true, true)
  await i18next.changeLanguage(language)
}

/** Adds the texts of a page that is loaded later. Call it in the module of the page, before its component renders. */
export function addTexts(texts: Record<Language, object>): void {
  for (const [language, groups] of Object.entries(texts))
    i18next.addResourceBundle(language, 'translation', groups, true, true)
}

/** Keeps the choice on this computer too, for the sign-in page. */
export function changeLanguage(language: Language): void {
  rememberChoice('voucher-language', language)
  if (currentLanguage() !== language) void showLanguage(language)
}

export function currentLanguage(): Language {
  return i18next.language === 'de' ? 'de' : 'en'
}
