import type { TFunction } from 'i18next'
import type { Template } from '../../../../client/voucher-api.generated.ts'
import {
  deviceWords,
  durationWords,
  fromFirstUse,
  joinWords,
  qosWords,
  shortDurationWords,
  timeWords,
} from '../../components/voucher/voucher-words.ts'
import { toInstant } from '../../components/voucher/zoned-time.ts'
import { type CustomLimits, custom, type DeskInput, minutesOf } from './form/desk-input.ts'

/** The second line of a template. It leaves out the duration if the name says it already. */
export function templateWords(t: TFunction, { name, expire_minutes: minutes, max_uses: devices }: Template): string {
  const isNamed = (['de', 'en'] as const).some((lng) => {
    const translate = ((key: string, options: object) => t(key as never, { ...options, lng } as never)) as TFunction
    return name.toLowerCase().includes(durationWords(translate, minutes).toLowerCase())
  })
  return isNamed ? deviceWords(t, devices) : joinWords(shortDurationWords(t, minutes), deviceWords(t, devices))
}

/** The voucher that the form describes: "1 day from first use · 2 devices". */
export function sentenceOf(t: TFunction, input: DeskInput, templates: Template[], timeZone: string): string {
  const template = templates.find(({ id }) => id === input.choice)
  if (template) return templateSentence(t, template)
  if (input.choice !== custom) return ''
  const { limits } = input
  return joinWords(customDuration(t, limits, timeZone), deviceWords(t, limits.devices), ...qosWords(t, qosOf(limits)))
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

function customDuration(t: TFunction, limits: CustomLimits, timeZone: string): string {
  if (limits.unit === 'until') return t('desk.until', { time: timeWords(toInstant(limits.until, timeZone), timeZone) })
  const minutes = minutesOf(limits)
  return minutes > 0 ? fromFirstUse(t, minutes) : ''
}

function qosOf({ downMbps, upMbps, quotaMb }: CustomLimits): Template['qos'] {
  return { down_kbps: Number(downMbps) * 1000, up_kbps: Number(upMbps) * 1000, quota_mb: Number(quotaMb) }
}
