import { type GuestLanguage, guestLanguages } from '#slips/guest-languages.ts'
import { maxSlipLanguages } from '#slips/slip-lines.ts'
import type { Paper } from './sheet.tsx'

export type PrintChoice = {
  paper: Paper
  /** One to three languages, or null for those of the site. */
  languages: GuestLanguage[] | null
  /** Whether the desk prints a new voucher at once. */
  afterCreating: boolean
}

const storageKey = 'vs.print'

/** The last choice on this computer. At first A4, which every printer has, in the languages of the site. */
export function readPrintChoice(): PrintChoice {
  try {
    const { paper, languages, afterCreating } = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    const known = Array.isArray(languages) ? guestLanguages.filter((language) => languages.includes(language)) : []
    return {
      paper: paper === '80mm' ? '80mm' : 'a4',
      languages:
        known.length > 0
          ? known.toSorted((a, b) => languages.indexOf(a) - languages.indexOf(b)).slice(0, maxSlipLanguages)
          : null,
      afterCreating: afterCreating === true,
    }
  } catch {
    return { paper: 'a4', languages: null, afterCreating: false }
  }
}

export function keepPrintChoice(choice: PrintChoice): void {
  localStorage.setItem(storageKey, JSON.stringify(choice))
}

/** Adds or removes a language. A slip has at most three: a fourth language replaces the third. */
export function toggleLanguage(languages: GuestLanguage[], language: GuestLanguage): GuestLanguage[] | null {
  const rest = languages.filter((other) => other !== language)
  if (rest.length === languages.length) return [...languages.slice(0, maxSlipLanguages - 1), language]
  return rest.length > 0 ? rest : null
}

/** The languages of a slip: the chosen ones, otherwise those of the site, otherwise that of the app. */
export function languagesToPrint(
  { languages }: Pick<PrintChoice, 'languages'>,
  ofSite: GuestLanguage[],
  ofApp: GuestLanguage,
): GuestLanguage[] {
  const wanted = languages ?? ofSite
  return wanted.length > 0 ? wanted.slice(0, maxSlipLanguages) : [ofApp]
}
