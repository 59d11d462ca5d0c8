import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Person } from '../../../client/voucher-api.generated.ts'
import type controller from '../components/controller/en.json'
import type guestInfo from '../components/guest-info/en.json'
import type idle from '../components/idle/en.json'
import type issuing from '../components/issuing/en.json'
import type provider from '../components/provider/en.json'
import type secondFactor from '../components/second-factor/en.json'
import type shell from '../components/shell/en.json'
import type unencrypted from '../components/unencrypted/en.json'
import type voucherEmail from '../components/voucher/email/en.json'
import type extend from '../components/voucher/extend/en.json'
import type audit from '../pages/audit/en.json'
import type dayLimit from '../pages/desk/day-limit/en.json'
import type desk from '../pages/desk/en.json'
import type many from '../pages/desk/many/en.json'
import type firstRun from '../pages/first-run/en.json'
import type keys from '../pages/keys/en.json'
import type me from '../pages/me/en.json'
import type overview from '../pages/overview/en.json'
import type password from '../pages/password/en.json'
import type email from '../pages/settings/email/en.json'
import type settings from '../pages/settings/en.json'
import type guestData from '../pages/settings/guest-data/en.json'
import type signInSettings from '../pages/settings/sign-in/en.json'
import type slips from '../pages/settings/slips/en.json'
import type sites from '../pages/sites/en.json'
import type vouchers from '../pages/vouchers/en.json'
import type webhooks from '../pages/webhooks/en.json'
import { rememberChoice } from '../preferences.ts'
import type en from './en.json'
import { chooseLocales } from './locale.ts'

/** Texts of pages that are loaded later. Each of them has its own groups. */
type PageTexts = typeof audit &
  typeof controller &
  typeof dayLimit &
  typeof desk &
  typeof email &
  typeof extend &
  typeof firstRun &
  typeof guestData &
  typeof guestInfo &
  typeof idle &
  typeof issuing &
  typeof many &
  typeof keys &
  typeof me &
  typeof overview &
  typeof password &
  typeof secondFactor &
  typeof provider &
  typeof settings &
  typeof shell &
  typeof signInSettings &
  typeof slips &
  typeof sites &
  typeof unencrypted &
  typeof voucherEmail &
  typeof vouchers &
  typeof webhooks

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en & PageTexts }
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
