import type { TFunction } from 'i18next'
import type { GuestInfo, Template } from '../../../../client/voucher-api.generated.ts'
import {
  type CustomLimits,
  custom,
  type DeskInput,
  messageToSend,
  minutesOf,
} from '../../components/creation/desk-input.ts'
import { qosOf } from '../../components/voucher/qos-input.ts'
import {
  deviceWords,
  durationWords,
  fromFirstUse,
  joinWords,
  qosWords,
  shortDurationWords,
  templateName,
  templateSentence,
  timeWords,
} from '../../components/voucher/voucher-words.ts'
import { toInstant } from '../../components/voucher/zoned-time.ts'

/** The second line of a template. It leaves out the duration if the name says it already. */
export function templateWords(t: TFunction, template: Template): string {
  const { expire_minutes: minutes, max_uses: devices } = template
  const isNamed = templateName(t, template).toLowerCase().includes(durationWords(t, minutes).toLowerCase())
  return isNamed ? deviceWords(t, devices) : joinWords(shortDurationWords(t, minutes), deviceWords(t, devices))
}

/** The sentence for what Enter creates: "New voucher for “Huber” · 1 day from first use · 2 devices". Without a name, only the limits. */
export function sentenceOf(t: TFunction, input: DeskInput, templates: Template[], guestInfo: GuestInfo): string {
  const name = input.name.trim()
  const email = messageToSend(input, guestInfo)?.email
  return joinWords(
    name && t('found.new-for', { name }),
    limitsSentence(t, input, templates, guestInfo.time_zone),
    email ? t('by-email.sentence', { email }) : '',
  )
}

function limitsSentence(t: TFunction, input: DeskInput, templates: Template[], timeZone: string): string {
  const template = templates.find(({ id }) => id === input.choice)
  if (template) return templateSentence(t, template)
  if (input.choice !== custom) return ''
  const { limits } = input
  return joinWords(customDuration(t, limits, timeZone), deviceWords(t, limits.devices), ...qosWords(t, qosOf(limits)))
}

function customDuration(t: TFunction, limits: CustomLimits, timeZone: string): string {
  if (limits.unit === 'until') return t('desk.until', { time: timeWords(toInstant(limits.until, timeZone), timeZone) })
  const minutes = minutesOf(limits)
  return minutes > 0 ? fromFirstUse(t, minutes) : ''
}
