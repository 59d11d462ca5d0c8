import { type Static, Type } from 'typebox'
import type { Requester } from '#domain/actor.ts'
import { messageEmailPlace } from '#domain/mailing/new-message.ts'
import type { MessageFailure, MessageState } from '#domain/messages/message.ts'
import type { RecordedMessage } from '#domain/messages/messages.queries.ts'
import { decrypt, type Keyring } from '#lib/cipher.ts'
import { mailCauses } from '#mail/mail.ts'
import { isMailAddress } from '#mail/mail-address.ts'
import { guestLanguages } from '#slips/guest-languages.ts'
import type { InvalidField } from '../../errors/field-errors.ts'
import { count, createdBy, isoOrNull, textOrNull, time, timeOrNull } from '../kit/fields.ts'

/** An e-mail to a guest. */
export const messageFields = {
  email: Type.String({
    maxLength: 254,
    examples: ['guest@example.com'],
    description: 'The address of the guest. It is encrypted, and erased 24 hours after the outcome of the message.',
    rule: checkMailAddress,
  }),
  language: Type.Optional(
    Type.Enum([...guestLanguages], {
      description: 'The language of the message. Default: the first guest language of the site, otherwise yours.',
    }),
  ),
}

export function checkMailAddress(text: string): InvalidField[] {
  return isMailAddress(text) ? [] : [{ field: '', code: 'bad_format' }]
}

/** The message of a creation. */
export const messageField = Type.Optional(
  Type.Object(messageFields, {
    additionalProperties: false,
    description:
      'An e-mail that tells the guest the code as soon as the voucher is recorded. Without a voucher, nothing is sent.',
  }),
)

export const messageStates: MessageState[] = ['prepared', 'waiting', 'accepted', 'rejected', 'expired', 'cancelled']

/** The last attempt to send an e-mail. */
export const attemptFields = {
  failure: Type.Unsafe<MessageFailure | null>({
    type: ['string', 'null'],
    enum: ['not_set_up', ...mailCauses, null],
    description: 'Why the last attempt failed.',
  }),
  answer: {
    ...textOrNull,
    description:
      'The last answer of the mail server, without addresses. A day after the outcome, only its status code is left.',
  },
}

export const messageSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    state: Type.Unsafe<MessageState>({
      type: 'string',
      enum: messageStates,
      description:
        'accepted: the mail server took the message; nobody knows whether it arrived. rejected: it will never take it. expired: it did not take it within a day, or before the voucher ended. cancelled: the voucher was revoked.',
    }),
    email: {
      ...textOrNull,
      description: 'Only people get it, until 24 hours after the outcome. It is always null for API keys.',
    },
    language: Type.Enum([...guestLanguages]),
    attempts: count,
    ...attemptFields,
    created_at: time,
    next_attempt_at: timeOrNull,
    settled_at: { ...timeOrNull, description: 'When the outcome was known.' },
    created_by: Type.Union([createdBy, Type.Null()]),
  },
  { title: 'Message' },
)

export function messageToWire(
  keyring: Keyring,
  actor: Requester,
  message: RecordedMessage,
): Static<typeof messageSchema> {
  const { id, state, email, language, attempts, failure, answer, createdAt, nextAttemptAt, settledAt, maker } = message
  return {
    id,
    state,
    email: email !== null && actor.kind === 'staff' ? decrypt(keyring, messageEmailPlace(id), email) : null,
    language,
    attempts,
    failure,
    answer,
    created_at: createdAt.toISOString(),
    next_attempt_at: isoOrNull(nextAttemptAt),
    settled_at: isoOrNull(settledAt),
    created_by: maker,
  }
}
