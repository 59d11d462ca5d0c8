import type { TFunction } from 'i18next'
import type { Voucher } from '../../../../../client/voucher-api.generated.ts'
import { deviceWords, validityWords } from '../../../components/voucher/voucher-words.ts'
import { clock, formatTime, isSameDay, shortDay } from '../../../formats.ts'

/** Characters that stand before a word, as in the search of the service. */
const separators = ' ,.;:/(-'

/** Where the text begins the name or a later word in it; -1 if it begins none. */
export function placeOfWord(name: string, text: string): number {
  const lower = text.toLowerCase()
  const places = [...Array(name.length).keys()]
  return places.findIndex(
    (place) =>
      (place === 0 || separators.includes(name.charAt(place - 1))) && name.slice(place).toLowerCase().startsWith(lower),
  )
}

type State = 'unused' | 'in-use' | 'ended' | 'revoked'

/** The state of a voucher as the desk needs it. A voucher for one device is in use, although nobody else can redeem it. */
export function stateOf({ status, ends_at: end, used_count: used }: Voucher, now: number): State {
  if (status === 'revoked') return 'revoked'
  if (status === 'expired' || (end !== null && Date.parse(end) <= now)) return 'ended'
  return status === 'used' || used > 0 ? 'in-use' : 'unused'
}

/** The shape for each state, by the status that usually has it. */
export const markOf = { unused: 'valid', 'in-use': 'used', ended: 'expired', revoked: 'revoked' } as const

/** "in use until 03:30" and, if the voucher works, its limits: "1 of 2 devices". */
export function foundWords(t: TFunction, voucher: Voucher, timeZone: string, now: number): string[] {
  const { ends_at: end, revoked_at: revokedAt, max_uses: most, used_count: used } = voucher
  const time = (at: string) => ({ time: shortTimeWords(new Date(at), timeZone, now) })
  const state = stateOf(voucher, now)
  if (state === 'revoked') return [revokedAt ? t('found.revoked-at', time(revokedAt)) : t('found.revoked')]
  if (state === 'ended') return [end ? t('found.ended-at', time(end)) : t('found.ended')]
  if (state === 'unused') return [t('found.unused'), validityWords(t, voucher, timeZone)]
  return [
    end ? t('found.in-use-until', time(end)) : t('found.in-use'),
    most > 0 ? t('found.devices-of', { used, count: most }) : deviceWords(t, used),
  ]
}

const day = 86_400_000

/** 03:30 for today and for the next hours, Sun 15:12 within six days, otherwise 2 Nov, in the time zone of the site. */
function shortTimeWords(at: Date, timeZone: string, now: number): string {
  const left = at.getTime() - now
  const isSoon = left > 0 && left < day / 2
  if (isSoon || isSameDay(at, new Date(now), timeZone)) return formatTime(at, { timeZone, ...clock })
  if (Math.abs(left) < 6 * day) return formatTime(at, { timeZone, weekday: 'short', ...clock }).replace(',', '')
  return formatTime(at, { timeZone, ...shortDay })
}
