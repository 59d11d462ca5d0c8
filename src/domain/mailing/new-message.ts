import { v7 as uuidv7 } from 'uuid'
import { encrypt, type Keyring, keyedHashes, type Place } from '#lib/cipher.ts'
import type { Calendar } from '#lib/clock.ts'
import { toEnvelopeAddress } from '#mail/mail-address.ts'
import { actorReference, type Maker } from '../actor.ts'
import type { NewMessage, NewRowMessage, RequestedMessage } from '../messages/message.ts'
import { dayOf, type IssuingCounter } from '../record/issuing-counters.ts'

export function toNewMessage(keyring: Keyring, { email, ...language }: RequestedMessage): NewMessage {
  const id = uuidv7()
  return { id, email: encrypt(keyring, messageEmailPlace(id), email), ...language }
}

/** The column and row to which the encrypted address is bound. */
export function messageEmailPlace(id: string): Place {
  return { table: 'messages', column: 'email', row: id }
}

/** How many messages a day go to one address, and are sent for one person or key and for one site. */
const messagesPerDay = { recipient: 10, maker: 1_000, site: 5_000 }

/** The counters of a new message. The counter of its address has a keyed hash, with which nobody can guess the address. */
export function messageCountersFor(
  { keyring, today }: CountingContext,
  { email }: Pick<RequestedMessage, 'email'>,
  { maker, siteId, now }: Origin,
): IssuingCounter[] {
  return countersOn(dayOf(today, now), keyring, email, { maker, siteId })
}

type CountingContext = { keyring: Keyring; today: Calendar }
type Origin = { maker: Pick<Maker, 'kind' | 'id'>; siteId: number | null; now: Date }

function countersOn(
  day: Pick<IssuingCounter, 'day' | 'until'>,
  keyring: Keyring,
  email: string,
  { maker, siteId }: Omit<Origin, 'now'>,
): IssuingCounter[] {
  const recipient = toEnvelopeAddress(email) ?? email // one domain can be written in thousands of ways
  const [hash] = keyedHashes(keyring, 'recipient of messages', recipient.toLowerCase())
  return [
    { scope: `mail-to:${hash}`, ...day, limit: messagesPerDay.recipient },
    { scope: `mail-of:${actorReference(maker)}`, ...day, limit: messagesPerDay.maker },
    ...(siteId === null ? [] : [{ scope: `mail-at:${siteId}`, ...day, limit: messagesPerDay.site }]),
  ]
}

/** The rows of a batch with their messages, and the counters of all messages together. */
export function toRowMessages<Row extends { message?: RequestedMessage | undefined }>(
  { keyring, today }: CountingContext,
  rows: Row[],
  { now, ...origin }: Origin,
): {
  rows: (Omit<Row, 'message'> & { message?: NewRowMessage })[]
  messages: NewMessage[]
  counters: IssuingCounter[]
} {
  const day = dayOf(today, now)
  const messages: NewMessage[] = []
  const total = new Map<string, IssuingCounter>()
  const prepared = rows.map(({ message: asked, ...row }) => {
    if (!asked) return row
    const counters = countersOn(day, keyring, asked.email, origin)
    for (const counter of counters)
      total.set(counter.scope, { ...counter, times: (total.get(counter.scope)?.times ?? 0) + 1 })
    const message = toNewMessage(keyring, asked)
    messages.push(message)
    return { ...row, message: { ...message, counters: counters.map(({ scope, day }) => ({ scope, day })) } }
  })
  return { rows: prepared, messages, counters: [...total.values()] }
}
