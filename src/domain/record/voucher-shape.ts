import { randomInt } from 'node:crypto'
import type { Bound, Driver, Limit, VoucherShape } from '#drivers/driver.ts'
import { DomainError } from '../errors.ts'
import type { IssuingLimits } from '../issuing-limits.ts'
import type { CreationOptions, Extendable } from './creation.ts'

/** Bounds for limits for which the driver documents none: the range of the column. */
const max = 2_147_483_647
const otherwise: Record<Limit, Bound> = {
  maxUses: { min: 1, max, zeroMeansNone: true },
  expireMinutes: { min: 1, max },
  downKbps: { min: 0, max },
  upKbps: { min: 0, max },
  quotaMb: { min: 0, max },
}

const fields: Record<Limit, string> = {
  maxUses: 'max_uses',
  expireMinutes: 'expire_minutes',
  downKbps: 'qos.down',
  upKbps: 'qos.up',
  quotaMb: 'qos.quota_mb',
}

/**
 * Rejects limits outside the bounds of the driver, and an `extendableUntil` that no voucher can reach. The error names all of
 * them. No value is corrected.
 */
export function checkBounds(
  driver: Pick<Driver, 'bounds'>,
  shape: VoucherShape,
  { extendableUntil, now }: Extendable & { now: Date },
): void {
  const [first, ...more] = [...errorsOfBounds(driver, shape), ...errorsOfExtendable(driver, extendableUntil, now)]
  if (first) throw new DomainError(first.code, { details: first.details, more })
}

function errorsOfBounds({ bounds }: Pick<Driver, 'bounds'>, shape: VoucherShape): DomainError[] {
  return (Object.entries(fields) as [Limit, string][]).flatMap(([limit, field]) => {
    const value = shape[limit]
    const { min, max, zeroMeansNone } = bounds[limit] ?? otherwise[limit]
    if ((value >= min && value <= max) || (zeroMeansNone && value === 0)) return []
    return [new DomainError('beyond_bounds', { details: { field, min, max } })]
  })
}

/** Computes with one minute less than the most, because `cutMinutes` adds a minute to the time until `extendableUntil`. */
function errorsOfExtendable(driver: Pick<Driver, 'bounds'>, extendableUntil: Date | null, now: Date): DomainError[] {
  const max = mostMinutes(driver)
  const latest = new Date(now.getTime() + (max - 1) * 60_000)
  if (extendableUntil === null || extendableUntil <= latest) return []
  return [new DomainError('extendable_until_too_late', { details: { latest: latest.toISOString(), max } })]
}

/**
 * Stands for the minutes of a voucher that ends only by `valid_until`. `cutMinutes` replaces it by the time left until then, up
 * to the controller's limit.
 */
export const untilValidUntil = max
/** Almost two years, where a driver documents no bound. Some controllers reject more. */
const maxMinutes = 1_000_000

function mostMinutes({ bounds }: Pick<Driver, 'bounds'>): number {
  return bounds.expireMinutes?.max ?? maxMinutes
}

/**
 * Rejects a voucher that lasts longer than one of these limits allows. If it ends by `validUntil`, the time until then counts as its
 * minutes, unless it has fewer. The time until `extendableUntil` does not count: a change to a later end is checked then.
 */
export function checkLongest(
  limits: (IssuingLimits | undefined)[],
  wanted: VoucherShape,
  { validUntil }: Pick<CreationOptions, 'validUntil'>,
  now: Date,
): void {
  const max = longestMinutesOf(limits)
  if (max === null || wanted.expireMinutes <= max) return
  if (validUntil === null) throw new DomainError('beyond_bounds', { details: { field: 'expire_minutes', min: 1, max } })
  const latest = latestEnd(now, max)
  if (validUntil > latest)
    throw new DomainError('valid_until_beyond_limit', { details: { latest: latest.toISOString(), max } })
}

/** The longest duration that all of these limits allow; null if none of them has one. */
export function longestMinutesOf(limits: (IssuingLimits | undefined)[]): number | null {
  const minutes = limits.flatMap((each) => each?.longestMinutes ?? [])
  return minutes.length === 0 ? null : Math.min(...minutes)
}

/** Rounded up to the minute, because people choose whole minutes. */
export function latestEnd(from: Date, maxMinutes: number): Date {
  return new Date(Math.ceil(from.getTime() / 60_000) * 60_000 + maxMinutes * 60_000)
}

/** A voucher that ends sooner is not created. */
export const minMinutesLeft = 1

/**
 * Limits the minutes of a voucher to the time left until `validUntil`. The minutes start at the first use. So a voucher that is
 * used at once is ended by the controller at `validUntil`, even if the service cannot withdraw it. With a later `extendableUntil`,
 * the minutes last until that time. One minute is added, because times are rounded down.
 */
export function cutMinutes(
  { bounds }: Pick<Driver, 'bounds'>,
  wanted: VoucherShape,
  { validUntil, extendableUntil }: Pick<CreationOptions, 'validUntil'> & Extendable,
  now: Date,
): { shape: VoucherShape; minutesCut: boolean } {
  if (validUntil === null) return { shape: wanted, minutesCut: false }
  const minutesUntil = (time: Date) => (time.getTime() - now.getTime()) / 60_000
  const most = wanted.expireMinutes === untilValidUntil ? mostMinutes({ bounds }) : wanted.expireMinutes
  if (minutesUntil(validUntil) < minMinutesLeft) {
    const more = errorsOfBounds({ bounds }, { ...wanted, expireMinutes: most })
    throw new DomainError('valid_until_passed', { more })
  }
  const isExtendable = extendableUntil !== null && extendableUntil > validUntil
  const left = isExtendable ? Math.ceil(minutesUntil(extendableUntil)) + 1 : Math.floor(minutesUntil(validUntil))
  const expireMinutes = Math.min(most, left)
  return { shape: { ...wanted, expireMinutes }, minutesCut: expireMinutes < wanted.expireMinutes }
}

/** With the date in front of it, a name fits into the 255 characters that a controller keeps. */
const maxNameLength = 244

const around = /[\s\p{Z}\p{Cc}\u200b\u2060\ufeff]/u
const invisible = /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** The name without white space around it. Rejects invisible, unprintable and too long names. */
export function toVoucherName(text: string): string {
  const name = trimVoucherName(text)
  if (invisible.test(name)) throw new DomainError('name_required')
  if (unprintable.test(name)) throw new DomainError('name_unprintable')
  if ([...name].length > maxNameLength) throw new DomainError('name_too_long')
  return name
}

/** For a name that was validated. Steps from both ends, because a pattern anchored at the end takes seconds for a name full of spaces. */
export function trimVoucherName(text: string): string {
  let [begin, end] = [0, text.length]
  while (begin < end && around.test(text.charAt(begin))) begin += 1
  while (end > begin && around.test(text.charAt(end - 1))) end -= 1
  return text.slice(begin, end)
}

/** Characters of a tag: no letters and digits that look alike. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const tagLength = 6
/** The longest name that a controller is known to keep. */
const maxNoteLength = 255
const tagged = /^(.*) ·[a-hjkmnp-z2-9]{6}$/su

/**
 * The name of a voucher on the controller (its note), with a tag if the site uses tags: `2026-11-15_Room 12 ·k3f9ab`. Every
 * call that makes vouchers gets a new tag, so its vouchers are recognised even if clocks are wrong.
 */
export function noteFor(site: { tagsNames: boolean }, name: string): string {
  if (!site.tagsNames) return name
  const tag = Array.from({ length: tagLength }, () => letters[randomInt(letters.length)]).join('')
  return `${[...name].slice(0, maxNoteLength - tagLength - 2).join('')} ·${tag}`
}

/** The name without its tag, as the record and all lists show it. */
export function withoutTag(note: string): string {
  return tagged.exec(note)?.[1] ?? note
}
