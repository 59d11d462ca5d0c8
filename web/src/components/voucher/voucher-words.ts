import type { TFunction } from 'i18next'
import type { Template, Voucher } from '../../../../client/voucher-api.generated.ts'
import { clock, dayAndClock, formatNumber, formatTime, isSameDay } from '../../formats.ts'

/** "1 day", "8 hours", "90 minutes", "15 h 28 min": the largest unit that divides the minutes, otherwise two units. */
export function durationWords(t: TFunction, minutes: number): string {
  if (minutes % 10_080 === 0) return t('desk.weeks', { count: minutes / 10_080 })
  if (minutes % 1440 === 0) return t('desk.days', { count: minutes / 1440 })
  if (minutes % 60 === 0) return t('desk.hours', { count: minutes / 60 })
  if (minutes < 120) return t('desk.minutes', { count: minutes })
  return t('desk.hours-minutes', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}

/** Like `durationWords`, but shorter: "8 h" instead of "8 hours". */
export function shortDurationWords(t: TFunction, minutes: number): string {
  const isHours = minutes % 60 === 0 && minutes % 1440 !== 0
  return isHours ? t('desk.short-hours', { count: minutes / 60 }) : durationWords(t, minutes)
}

export function deviceWords(t: TFunction, count: number): string {
  return count === 0 ? t('desk.any-devices') : t('desk.devices', { count })
}

export function fromFirstUse(t: TFunction, minutes: number): string {
  return t('desk.from-first-use', { duration: durationWords(t, minutes) })
}

type VoucherLimits = Pick<Voucher, 'expire_minutes' | 'max_uses' | 'qos' | 'valid_until' | 'ends_at' | 'revoked_at'>

/** How long a voucher works. Its end is known after the first use, or if it has a fixed end (`valid_until`). */
export function validityWords(t: TFunction, voucher: VoucherLimits, timeZone: string): string {
  const end = voucher.ends_at ?? voucher.valid_until
  if (end) return t('desk.until', { time: timeWords(new Date(end), timeZone) })
  return fromFirstUse(t, voucher.expire_minutes)
}

/** "1 day · 2 devices", beside the name of a voucher. Without the minutes of a stay, which nobody chose. */
export function limitWords(t: TFunction, voucher: VoucherLimits, timeZone: string): string {
  const stay = voucher.revoked_at ? [] : [validityWords(t, voucher, timeZone)]
  const duration = voucher.valid_until ? stay : [durationWords(t, voucher.expire_minutes)]
  return joinWords(...duration, deviceWords(t, voucher.max_uses), ...qosWords(t, voucher.qos))
}

/** "Wed 18 Nov, 11:00" in the time zone of the site. */
export function timeWords(at: Date | string, timeZone: string): string {
  const isThisYear = new Date(at).getFullYear() === new Date().getFullYear()
  return formatTime(at, { timeZone, ...dayAndClock, ...(!isThisYear && { year: 'numeric' }) })
}

/** The time of day in the time zone of the site, with the date if it is not today. */
export function clockWords(at: Date, timeZone: string): string {
  return isSameDay(at, new Date(), timeZone) ? formatTime(at, { timeZone, ...clock }) : timeWords(at, timeZone)
}

type Qos = Template['qos']

export function qosWords(t: TFunction, { down_kbps: down, up_kbps: up, quota_mb: quota }: Qos): string[] {
  return [
    ...(down ? [t('desk.down', { speed: formatNumber(down / 1000) })] : []),
    ...(up ? [t('desk.up', { speed: formatNumber(up / 1000) })] : []),
    ...(quota
      ? [
          quota % 1000 === 0
            ? t('desk.gigabytes', { amount: formatNumber(quota / 1000) })
            : t('desk.megabytes', { amount: formatNumber(quota) }),
        ]
      : []),
  ]
}

export function joinWords(...parts: string[]): string {
  return parts.filter(Boolean).join(' · ')
}

/** The name of a template. If nobody named it, its duration in the language of the page. */
export function templateName(
  t: TFunction,
  template: Pick<Template, 'name' | 'automatic_name' | 'expire_minutes'>,
): string {
  return template.automatic_name ? durationWords(t, template.expire_minutes) : template.name
}

/** A voucher that is created from the template. */
export function templateSentence(
  t: TFunction,
  template: Pick<Template, 'expire_minutes' | 'max_uses' | 'qos'>,
): string {
  return joinWords(
    fromFirstUse(t, template.expire_minutes),
    deviceWords(t, template.max_uses),
    ...qosWords(t, template.qos),
  )
}
