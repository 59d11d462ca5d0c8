import { type GuestLanguage, guestLanguages } from '#slips/guest-languages.ts'
import type { GuestInfo } from '../../client/voucher-api.generated.ts'
import { compareNames, languageName } from './formats.ts'
import { currentLanguage } from './i18n/i18n.ts'

/** The languages of slips as a menu shows them: with their names in the language of the page, in the order of these names. */
export function guestLanguagesByName(): { value: GuestLanguage; label: string }[] {
  return guestLanguages
    .map((value) => ({ value, label: languageName(value) }))
    .toSorted((a, b) => compareNames(a.label, b.label))
}

/** The first language of the guests of a site; otherwise that of the page. */
export function firstGuestLanguage({ guest_languages: [first] }: Pick<GuestInfo, 'guest_languages'>): GuestLanguage {
  return guestLanguages.find((language) => language === (first ?? currentLanguage())) ?? 'en'
}
