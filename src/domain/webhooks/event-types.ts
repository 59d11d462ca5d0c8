import { DomainError } from '../errors.ts'

/** The types of events that a webhook can get, each with one sentence for people. A type that was released keeps its name. */
export const eventTypes = {
  'voucher.created': 'Vouchers were created through this service.',
  'voucher.first_used': 'Somebody signed in with a voucher for the first time.',
  'voucher.expired': 'The minutes of a voucher ran out.',
  'voucher.revoked': 'A voucher was revoked, or deleted on the controller.',
  'batch.finished': 'A batch ended; no more of its vouchers will be created.',
  'controller.unreachable': 'A controller cannot be reached, or its certificate is not trusted.',
  'controller.reachable': 'A controller answers again.',
} as const

export type EventType = keyof typeof eventTypes

export const defaultEvents: EventType[] = ['voucher.created']

/** The languages of the sentences in chats. */
export const languages = ['de', 'en'] as const
export type Language = (typeof languages)[number]

/** Returns the types in the order of `eventTypes`, each once. Rejects unknown types and an empty list. */
export function readEventTypes(names: string[]): EventType[] {
  const known = Object.keys(eventTypes) as EventType[]
  const unknown = names.filter((name) => !known.some((type) => type === name))
  if (unknown.length > 0 || names.length === 0)
    throw new DomainError('webhook_events_invalid', {
      details: { unknown: unknown.join(', '), allowed: known.join(', ') },
    })
  return known.filter((type) => names.includes(type))
}
