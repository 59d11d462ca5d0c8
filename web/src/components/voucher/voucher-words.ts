import type { TFunction } from 'i18next'
import type { Template, Voucher } from '../../../../client/voucher-api.generated.ts'
import { currentLanguage } from '../../i18n/i18n.ts'

/** "1 day", "8 hours", "90 minutes": the largest unit that divides the minutes. */
export function durationWords(t: TFunction, minutes: number): string {
  if (minutes % 10_080 === 0) return t('desk.weeks', { count: minutes / 10_080 })
  if (minutes % 1440 === 0) return t('desk.days', { count: minutes / 1440 })
  if (minutes % 60 === 0) return t('desk.hours', { count: minutes / 60 })
  return t('desk.minutes', { count: minutes })
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

/** "1 day · 2 devices", beside the name of a voucher. */
export function limitWords(t: TFunction, voucher: VoucherLimits, timeZone: string): string {
  const duration =
    voucher.valid_until && !voucher.revoked_at
      ? validityWords(t, voucher, timeZone)
      : durationWords(t, voucher.expire_minutes)
  return joinWords(duration, deviceWords(t, voucher.max_uses), ...qosWords(t, voucher.qos))
}

/** "Wed 18 Nov, 11:00" in the time zone of the site. */
export function timeWords(at: Date, timeZone: string): string {
  const isThisYear = at.getFullYear() === new Date().getFullYear()
  return new Intl.DateTimeFormat(currentLanguage() === 'de' ? 'de-DE' : 'en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(at)
}

/** The time of day in the time zone of the site, with the date if it is not today. */
export function clockWords(at: Date, timeZone: string): string {
  const dayOf = (date: Date) => new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short' }).format(date)
  if (dayOf(at) !== dayOf(new Date())) return timeWords(at, timeZone)
  return new Intl.DateTimeFormat('de-DE', { timeZone, hour: '2-digit', minute: '2-digit' }).format(at)
}

type Qos = Template['qos']

export function qosWords(t: TFunction, { down_kbps: down, up_kbps: up, quota_mb: quota }: Qos): string[] {
  const number = (value: number) => new Intl.NumberFormat(currentLanguage()).format(value)
  return [
    ...(down ? [t('desk.down', { speed: number(down / 1000) })] : []),
    ...(up ? [t('desk.up', { speed: number(up / 1000) })] : []),
    ...(quota
      ? [
          quota % 1000 === 0
            ? t('desk.gigabytes', { amount: number(quota / 1000) })
            : t('desk.megabytes', { amount: number(quota) }),
        ]
      : []),
  ]
}

export function joinWords(...parts: string[]): string {
  return parts.filter(Boolean).join(' · ')
}
