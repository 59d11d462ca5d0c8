import { formatListIn, formatNumberIn, formatTimeIn, pluralRuleIn } from '#lib/intl-formats.ts'
import type { GuestLanguage } from './guest-languages.ts'
import { slipTexts } from './slip-texts.ts'

/** The fields of a voucher that a slip shows, as API v2 answers them. */
export type SlipVoucher = {
  id: string
  formatted_code: string
  name: string
  max_uses: number
  expire_minutes: number
  valid_until: string | null
  created_at: string
}

/**
 * How long a voucher is valid and for how many devices, for example `1 Tag ab der ersten Anmeldung` and `2 Geräte`. The end
 * is named only if it is known before the first use, which is the case with `valid_until`.
 */
export function slipFacts(voucher: SlipVoucher, language: GuestLanguage, timeZone: string): string[] {
  const { fromFirstSignIn, validUntil } = slipTexts[language]
  return [
    ...(reachesValidUntil(voucher) ? [] : [`${formatDuration(voucher.expire_minutes, language)} ${fromFirstSignIn}`]),
    ...(voucher.valid_until ? [`${validUntil} ${formatEnd(voucher.valid_until, language, timeZone)}`] : []),
    formatDevices(voucher.max_uses, language),
  ]
}

/**
 * The service cuts the minutes so that they end with `valid_until`, in whole minutes. Then the duration says nothing new.
 */
function reachesValidUntil({ valid_until: end, created_at: start, expire_minutes: minutes }: SlipVoucher): boolean {
  const slackMinutes = 2
  return end !== null && Date.parse(start) + (minutes + slackMinutes) * 60_000 >= Date.parse(end)
}

const units = [
  ['day', 1440],
  ['hour', 60],
  ['minute', 1],
] as const

/** Whole weeks as weeks. Everything else as days, hours and minutes, without those that are 0. */
export function formatDuration(minutes: number, language: GuestLanguage): string {
  const { locale } = slipTexts[language]
  const format = (unit: string, count: number) =>
    formatNumberIn(locale, count, { style: 'unit', unit, unitDisplay: 'long' })
  if (minutes % 10_080 === 0 && minutes > 0) return format('week', minutes / 10_080)
  let rest = minutes
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest %= size
    return count > 0 ? [format(unit, count)] : []
  })
  return formatListIn(locale, parts)
}

/** 0 means any number of devices. */
export function formatDevices(count: number, language: GuestLanguage): string {
  const { locale, devices, anyDevices } = slipTexts[language]
  if (count === 0) return anyDevices
  const noun = devices[pluralRuleIn(locale, count)] ?? devices.other
  return `${formatNumberIn(locale, count)}\u00a0${noun}`
}

function formatEnd(moment: string, language: GuestLanguage, timeZone: string): string {
  const { locale } = slipTexts[language]
  const end = formatTimeIn(locale, moment, { dateStyle: 'long', timeStyle: 'short', timeZone })
  return end.replace(/ (?=\S+$)/, '\u00a0') // the hour stays beside its word, as in "um 11:00"
}
