import type { TFunction } from 'i18next'
import type { Template, Voucher } from '../../../../client/voucher-api.generated.ts'
import { currentLanguage } from '../../i18n/i18n.ts'
import { type CustomLimits, custom, type DeskInput, minutesOf } from './form/desk-input.ts'
import { toInstant } from './form/zoned-time.ts'

/** "1 day", "8 hours", "90 minutes": the largest unit that divides the minutes. */
function durationWords(t: TFunction, minutes: number): string {
  if (minutes % 10_080 === 0) return t('desk.weeks', { count: minutes / 10_080 })
  if (minutes % 1440 === 0) return t('desk.days', { count: minutes / 1440 })
  if (minutes % 60 === 0) return t('desk.hours', { count: minutes / 60 })
  return t('desk.minutes', { count: minutes })
}

function deviceWords(t: TFunction, count: number): string {
  return count === 0 ? t('desk.any-devices') : t('desk.devices', { count })
}

/** The second line of a template. It leaves out the duration if the name says it already. */
export function templateWords(t: TFunction, { name, expire_minutes: minutes, max_uses: devices }: Template): string {
  const isNamed = (['de', 'en'] as const).some((lng) => {
    const translate = ((key: string, options: object) => t(key as never, { ...options, lng } as never)) as TFunction
    return name.toLowerCase().includes(durationWords(translate, minutes).toLowerCase())
  })
  const isHours = minutes % 60 === 0 && minutes % 1440 !== 0
  const duration = isHours ? t('desk.short-hours', { count: minutes / 60 }) : durationWords(t, minutes)
  return isNamed ? deviceWords(t, devices) : join(duration, deviceWords(t, devices))
}

/** The voucher that the form describes: "1 day from first use · 2 devices". */
export function sentenceOf(t: TFunction, input: DeskInput, templates: Template[], timeZone: string): string {
  const template = templates.find(({ id }) => id === input.choice)
  if (template)
    return join(
      fromFirstUse(t, template.expire_minutes),
      deviceWords(t, template.max_uses),
      ...qosWords(t, template.qos),
    )
  if (input.choice !== custom) return ''
  const { limits } = input
  return join(customDuration(t, limits, timeZone), deviceWords(t, limits.devices), ...qosWords(t, qosOf(limits)))
}

/** How long a voucher works. Its end is known after the first use, or if it was made until a date. */
export function validityWords(t: TFunction, voucher: Voucher, timeZone: string): string {
  const end = voucher.ends_at ?? voucher.valid_until
  if (end) return t('desk.until', { time: timeWords(new Date(end), timeZone) })
  return fromFirstUse(t, voucher.expire_minutes)
}

/** "1 day · 2 devices", beside the name of a voucher. */
export function limitWords(t: TFunction, voucher: Voucher, timeZone: string): string {
  const duration =
    voucher.valid_until && !voucher.revoked_at
      ? validityWords(t, voucher, timeZone)
      : durationWords(t, voucher.expire_minutes)
  return join(duration, deviceWords(t, voucher.max_uses), ...qosWords(t, voucher.qos))
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

function customDuration(t: TFunction, limits: CustomLimits, timeZone: string): string {
  if (limits.unit === 'until') return t('desk.until', { time: timeWords(toInstant(limits.until, timeZone), timeZone) })
  const minutes = minutesOf(limits)
  return minutes > 0 ? fromFirstUse(t, minutes) : ''
}

function fromFirstUse(t: TFunction, minutes: number): string {
  return t('desk.from-first-use', { duration: durationWords(t, minutes) })
}

type Qos = Template['qos']

function qosOf({ downMbps, upMbps, quotaMb }: CustomLimits): Qos {
  return { down_kbps: Number(downMbps) * 1000, up_kbps: Number(upMbps) * 1000, quota_mb: Number(quotaMb) }
}

function qosWords(t: TFunction, { down_kbps: down, up_kbps: up, quota_mb: quota }: Qos): string[] {
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

function join(...parts: string[]): string {
  return parts.filter(Boolean).join(' · ')
}
