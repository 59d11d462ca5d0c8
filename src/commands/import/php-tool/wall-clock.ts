import { toInstant } from '#lib/zoned-time.ts'
import { CommandRefused } from '../../terminal/refusals.ts'
import type { VoucherRow } from './read-source.ts'

/** Turns a time like 2026-11-19 08:00:00, as a clock in a time zone shows it, into a moment. */
export type WallClock = (shown: string) => Date | undefined

const shape = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/
const quarterMs = 15 * 60_000
/** Zones differ by quarters of an hour. Other differences come from the controller's clock, or from a voucher that was slow to be made. */
const nearQuarterMs = 3 * 60_000
/** At least this part of the rows must fit the time zone. */
const fittingShare = 0.9

export function createWallClock(timeZone: string): WallClock {
  return (shown) => {
    const parts = shape.exec(shown)?.slice(1).map(Number)
    if (!parts) return undefined
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    const wanted = Date.UTC(year, month - 1, day, hour, minute, second)
    if (month === 0 || day === 0 || new Date(wanted).getUTCDate() !== day) return undefined
    return toInstant(wanted, timeZone)
  }
}

/** `rows`: vouchers whose times were compared. `offMinutes`: how much most of them differ, 0 if the time zone fits. */
export type ClockCheck = { rows: number; offMinutes: number }

/**
 * Compares the time zone of PHP with the times of MySQL. MySQL wrote the creation of a voucher that the tool made. PHP wrote its end:
 * the minutes after the creation on the controller.
 */
export function checkClock(clock: WallClock, vouchers: VoucherRow[]): ClockCheck {
  const offs = vouchers.flatMap((voucher) => {
    const {
      created_seconds: created,
      expires_clock: expires,
      expire_minutes: minutes,
      synced_from_unifi: synced,
    } = voucher
    const end = expires === null ? undefined : clock(expires)
    if (synced || created === null || !end || isNearChange(clock, expires as string)) return []
    const off = end.getTime() - minutes * 60_000 - Number(created) * 1_000
    const quarters = Math.round(off / quarterMs)
    return [Math.abs(off - quarters * quarterMs) <= nearQuarterMs ? quarters : 0]
  })
  const wrong = offs.filter((quarters) => quarters !== 0).toSorted((a, b) => a - b)
  const usual = wrong[Math.floor(wrong.length / 2)] ?? 0
  return { rows: offs.length, offMinutes: wrong.length > (1 - fittingShare) * offs.length ? usual * 15 : 0 }
}

const shownAs = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

/** Whether summer time begins or ends about then, when a clock shows an hour twice or not at all. */
function isNearChange(clock: WallClock, shown: string): boolean {
  const wall = Date.parse(`${shown.replace(' ', 'T')}Z`)
  const [before, after] = [-2, 2].map((hours) => {
    const near = wall + hours * 3_600_000
    return near - (clock(shownAs(near))?.getTime() ?? 0)
  })
  return before !== after
}

export function rejectWrongClock({ offMinutes }: ClockCheck, timeZone: string): void {
  if (offMinutes === 0) return
  throw new CommandRefused(
    `The time zone ${timeZone} does not fit: the ends that PHP wrote are ${offMinutes} minutes from where they should be. Use --time-zone with the time zone in the tool's config.php (date_default_timezone_set), or in TZ of its container. Nothing was imported.`,
  )
}
