import type { GuestLanguage } from './guest-languages.ts'
import { type SlipVoucher, slipFacts } from './slip-facts.ts'
import { type SlipLine, slipLines } from './slip-lines.ts'
import { slipTexts } from './slip-texts.ts'
import { type WifiFacts, wifiQrText } from './wifi-qr.ts'

export type SlipSite = {
  name: string
  /** The name of the house; null if it has none. */
  house: string | null
  guestInfo: WifiFacts & {
    time_zone: string
    footer: string | null
    wifi_password_set: boolean
    /** The lines of a slip in their order. A process of an older version answers without them: then a slip has all. */
    slip_lines?: SlipLine[]
    slip_per_language?: boolean
  }
}

/** A text in one of the languages of a slip. */
export type LanguageText = { language: GuestLanguage; text: string }

/** One part of a slip. Texts in several languages begin with the first language; a text that repeats another one is left out. */
export type SlipPart =
  /** The place of the logo, if the site or the house has one. */
  | { kind: 'logo' }
  | { kind: 'heading'; texts: LanguageText[] }
  | { kind: 'house'; text: string }
  /**
   * What the guest does next. `line` is the first line of the step. A step has no number if it is the only one, or if the code stands above
   * the Wi-Fi.
   */
  | { kind: 'step'; line: SlipLine; number: number | null; actions: LanguageText[]; hints: LanguageText[] }
  | { kind: 'wifi_name'; text: string }
  | { kind: 'wifi_password'; labels: LanguageText[]; text: string }
  | { kind: 'wifi_qr'; text: string }
  | { kind: 'code'; text: string }
  /** The facts of each language: how long, for how many devices. */
  | { kind: 'validity'; facts: { language: GuestLanguage; facts: string[] }[] }
  | { kind: 'name'; text: string }
  | { kind: 'footer'; text: string }

const wifiLines: readonly string[] = ['wifi_name', 'wifi_password', 'wifi_qr'] satisfies SlipLine[]

/** What the slip of a voucher says, in the order in which a guest reads it. Lines without a content are left out. */
export function slipParts(voucher: SlipVoucher, site: SlipSite, languages: GuestLanguage[]): SlipPart[] {
  const { guestInfo } = site
  const inLanguages = (pick: (texts: (typeof slipTexts)[GuestLanguage]) => string): LanguageText[] =>
    languages
      .map((language) => ({ language, text: pick(slipTexts[language]) }))
      .filter(({ text }, index, all) => all.findIndex((other) => other.text === text) === index)
  const { wifi_name: wifiName, wifi_password: password, footer } = guestInfo
  const isPasswordUnknown = guestInfo.wifi_password_set && password === null
  const qr = isPasswordUnknown ? null : wifiQrText(guestInfo) // phones would join without a password
  const contents: Record<SlipLine, SlipPart | false | null | ''> = {
    logo: { kind: 'logo' },
    heading: { kind: 'heading', texts: inLanguages((texts) => texts.heading) },
    house: { kind: 'house', text: placeOf(site) },
    wifi_name: wifiName && { kind: 'wifi_name', text: wifiName },
    wifi_password: wifiName &&
      password && { kind: 'wifi_password', labels: inLanguages((texts) => texts.password), text: password },
    wifi_qr: qr && { kind: 'wifi_qr', text: qr },
    code: { kind: 'code', text: voucher.formatted_code },
    validity: {
      kind: 'validity',
      facts: languages.map((language) => ({ language, facts: slipFacts(voucher, language, guestInfo.time_zone) })),
    },
    name: voucher.name !== '' && { kind: 'name', text: voucher.name },
    footer: footer && { kind: 'footer', text: footer },
  }
  const lines = (guestInfo.slip_lines ?? slipLines).filter((line) => contents[line])
  const joining = lines.find((line) => wifiLines.includes(line))
  // A guest joins first and enters the code then, so numbers in another order would be wrong.
  const isNumbered = joining !== undefined && lines.indexOf(joining) < lines.indexOf('code')
  const join: SlipPart = {
    kind: 'step',
    line: joining ?? 'wifi_name',
    number: isNumbered ? 1 : null,
    actions: inLanguages((texts) => texts.join),
    // The hint ends with a colon, and the name of the Wi-Fi follows.
    hints:
      joining === 'wifi_name' && lines.includes('wifi_qr')
        ? inLanguages((texts) => (guestInfo.wifi_hidden ? texts.scanOrType : texts.scanOrPick))
        : [],
  }
  const enter: SlipPart = {
    kind: 'step',
    line: 'code',
    number: isNumbered ? 2 : null,
    actions: inLanguages((texts) => texts.enterCode),
    hints: [],
  }
  return lines.flatMap((line) => [
    ...(line === joining ? [join] : []),
    ...(line === 'code' ? [enter] : []),
    contents[line] as SlipPart,
  ])
}

/** The slips of a voucher: one in all languages, or one for each language, as the site wants it. */
export function slipsOf(voucher: SlipVoucher, site: SlipSite, languages: GuestLanguage[]): SlipPart[][] {
  const ofEach = site.guestInfo.slip_per_language ? languages.map((language) => [language]) : [languages]
  return ofEach.map((together) => slipParts(voucher, site, together))
}

/** The parts above the first step, the steps with everything between them, and the parts below. */
export function slipSections(parts: SlipPart[]): { head: SlipPart[]; body: SlipPart[]; foot: SlipPart[] } {
  const isOfStep = ({ kind }: SlipPart) => kind === 'step' || kind === 'code' || wifiLines.includes(kind)
  const start = parts.findIndex(isOfStep)
  const end = parts.findLastIndex(isOfStep) + 1
  return { head: parts.slice(0, start), body: parts.slice(start, end), foot: parts.slice(end) }
}

/** The house and the site. The house is left out if the site is called after it. */
export function placeOf({ house, name }: Pick<SlipSite, 'house' | 'name'>): string {
  return house === null || name.toLowerCase().includes(house.toLowerCase()) ? name : `${house} · ${name}`
}
