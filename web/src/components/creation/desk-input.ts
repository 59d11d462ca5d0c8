import type { GuestInfo, MessageCreation, Template, VoucherCreation } from '../../../../client/voucher-api.generated.ts'
import { hasFields } from '../../stored-value.ts'
import { noQos, type QosInput, qosInputOf, qosOf } from '../voucher/qos-input.ts'
import { addDays, toInstant, tomorrowAt11, type WallTime } from '../voucher/zoned-time.ts'

export const custom = 'custom'

export type CustomLimits = QosInput & {
  unit: 'hours' | 'days' | 'until'
  /** Hours or days; empty while somebody types. */
  amount: number | ''
  /** In the time zone of the site. */
  until: WallTime
  /** 0: any number. */
  devices: number
  reference: string
}

export type DeskInput = {
  name: string
  /** The id of a template, or `custom`. */
  choice: string
  limits: CustomLimits
  /** Sent with the creation, unless the address is empty. */
  message?: Required<MessageCreation> | undefined
}

/** Whether a stored value is input of the form. */
export function isDeskInput(value: unknown): value is DeskInput {
  const { limits, message } = (value ?? {}) as Partial<DeskInput>
  return (
    (message === undefined || hasFields(message, { email: 'string', language: 'string' })) &&
    hasFields(value, { name: 'string', choice: 'string' }) &&
    hasFields(limits, { unit: 'string', until: 'string', devices: 'number', reference: 'string' })
  )
}

/** Fields that a person has to correct. The value is the last part of the key of the text. */
export type InputErrors = {
  name?: 'name'
  amount?: 'amount' | 'longest'
  until?: 'until' | 'longest'
  email?: 'email'
}

export const longestName = 244
const mostMinutes = 1_000_000

/** The limits that *Customise* begins with: those of the template that was chosen before. */
export function limitsOf(template: Template | undefined, timeZone: string, now = new Date()): CustomLimits {
  const minutes = template?.expire_minutes ?? 1440
  const isDays = minutes % 1440 === 0
  return {
    unit: isDays ? 'days' : 'hours',
    amount: isDays ? minutes / 1440 : Math.max(1, Math.round(minutes / 60)),
    until: tomorrowAt11(now, timeZone),
    devices: template?.max_uses ?? 1,
    ...(template ? qosInputOf(template.qos) : noQos),
    reference: '',
  }
}

/**
 * Limits while a template is chosen. Nobody sees them, and *Customise* begins with those of the template. They have no end, because
 * the first use of a time zone takes 10 to 50 ms, and much longer on a slow computer.
 */
export const unusedLimits: CustomLimits = {
  unit: 'days',
  amount: '',
  until: '',
  devices: 1,
  ...noQos,
  reference: '',
}

export function minutesOf({ unit, amount }: CustomLimits): number {
  return Number(amount) * (unit === 'days' ? 1440 : 60)
}

/** Finds values that the service would reject, so that the message is shown at its field. */
export function checkInput(
  { name, choice, limits, message }: DeskInput,
  timeZone: string,
  { now = Date.now(), longest = null }: { now?: number; longest?: number | null } = {},
): InputErrors {
  const errors: InputErrors = {}
  if (name.trim() === '') errors.name = 'name'
  if (message && !/^([^\s@]+@[^\s@]+)?$/.test(message.email.trim())) errors.email = 'email'
  if (choice !== custom) return errors
  if (limits.unit === 'until') {
    const minutes = (toInstant(limits.until, timeZone).getTime() - now) / 60_000
    if (minutes < 1) errors.until = 'until'
    else if (longest !== null && minutes > longest + 1) errors.until = 'longest' // the service rounds up to the minute
  } else if (!(minutesOf(limits) >= 1 && minutesOf(limits) <= mostMinutes)) errors.amount = 'amount'
  else if (longest !== null && minutesOf(limits) > longest) errors.amount = 'longest'
  return errors
}

type Facts = Pick<GuestInfo, 'site_id' | 'time_zone' | 'room_days'>

/** The message that is sent with a voucher; undefined if there is no address, or if the site cannot send any. */
export function messageToSend(
  { message }: DeskInput,
  { can_send_email: canSend }: Pick<GuestInfo, 'can_send_email'>,
): DeskInput['message'] {
  const email = message?.email.trim()
  return canSend && message && email ? { ...message, email } : undefined
}

/** The request for the voucher that the form describes. */
export function toRequest(input: DeskInput, facts: Facts & Pick<GuestInfo, 'can_send_email'>): VoucherCreation {
  const { name, choice, limits } = input
  const message = messageToSend(input, facts)
  const request = { site_id: facts.site_id, name: name.trim(), ...(message && { message }) }
  if (choice !== custom) return { ...request, template_id: choice }
  return {
    ...request,
    ...(limits.unit === 'until' ? untilOf(limits.until, facts) : { expire_minutes: minutesOf(limits) }),
    max_uses: limits.devices,
    qos: qosOf(limits),
    ...(limits.reference.trim() !== '' && { reference: limits.reference.trim() }),
  }
}

/** The end of a stay, with room to extend it later. */
export function untilOf(until: WallTime, { time_zone: timeZone, room_days: roomDays }: Facts) {
  return {
    valid_until: toInstant(until, timeZone).toISOString(),
    ...(roomDays > 0 && { extendable_until: toInstant(addDays(until, roomDays), timeZone).toISOString() }),
  }
}
