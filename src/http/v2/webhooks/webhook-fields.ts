import { type Static, Type } from 'typebox'
import { mayUseAllSites, type Requester } from '#domain/actor.ts'
import { type FailureKind, failureKind, failureKinds } from '#domain/deliveries/failure-kind.ts'
import { firstLine } from '#domain/deliveries/send-event.ts'
import type { WebhookHealth } from '#domain/deliveries/webhook-health.queries.ts'
import { disabledReasons } from '#domain/webhooks/administer-webhooks.ts'
import { type EventType, eventTypes, languages } from '#domain/webhooks/event-types.ts'
import { formats } from '#domain/webhooks/formats.ts'
import type { Webhook } from '#domain/webhooks/webhooks.queries.ts'
import { count, isoOrNull, siteNumber, textOrNull, time, timeOrNull } from '../kit/fields.ts'

export const events = Type.Array(Type.Enum(Object.keys(eventTypes) as EventType[]), { minItems: 1, maxItems: 50 })
export const format = Type.Enum(Object.keys(formats))
export const language = Type.Enum([...languages], { description: 'The language of sentences in chats.' })

export const url = Type.String({
  maxLength: 2_000,
  writeOnly: true,
  examples: ['https://hooks.example.com/catch/1'],
  description: 'The address to which events are sent. It is encrypted and never shown again.',
})

/** How a receiver answered an attempt. */
export const outcomeFields = {
  status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The status of the answer; null if none came.',
  }),
  failure: Type.Unsafe<FailureKind | null>({
    type: ['string', 'null'],
    enum: [...failureKinds, null],
    description: 'Why the attempt failed; null if the event arrived.',
  }),
  error: { ...textOrNull, description: 'The technical error, such as ECONNREFUSED.' },
  answer: {
    ...textOrNull,
    description:
      'The first line of the answer. Null for keys that are limited to some sites, and for people who are not administrators.',
  },
  duration_ms: count,
}

type Outcome = { status: number | null; error: string | null; reply: string | null; durationMs: number }

/**
 * A receiver can be an internal system. Only those who may use all sites see what it answers, and whether a name exists or its
 * address is forbidden.
 */
export function outcomeToWire({ status, error, reply, durationMs }: Outcome, actor: Requester) {
  const failure = failureKind({ status, error })
  const common = { status, duration_ms: durationMs }
  if (mayUseAllSites(actor)) return { ...common, failure, error, answer: firstLine(reply) }
  if (failure === 'name' || failure === 'forbidden')
    return { ...common, failure: 'forbidden' as const, error: 'no such name, or address not allowed', answer: null }
  return { ...common, failure, error, answer: null }
}

const lastFailure = Type.Object({ at: time, ...outcomeFields }, { title: 'LastFailure' })

export const webhookFields = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  format,
  events,
  language,
  all_sites: Type.Boolean(),
  site_ids: Type.Array(siteNumber, { description: 'Empty if `all_sites` is true.' }),
  signed: Type.Boolean({ description: 'Whether events are signed with a secret.' }),
  previous_secret_until: {
    ...timeOrNull,
    description: 'Until when events are also signed with the previous secret. Null if there is none.',
  },
  last_delivered_at: {
    ...timeOrNull,
    description: 'When the last event arrived; null while deliveries fail, or if none arrived in the last 30 days.',
  },
  failing_since: { ...timeOrNull, description: 'When deliveries began to fail; null while they arrive.' },
  last_failure: Type.Union([lastFailure, Type.Null()], {
    description: 'The last failed attempt, while deliveries fail or the webhook is disabled.',
  }),
  disabled_from: {
    ...timeOrNull,
    description: 'When a webhook that fails will be disabled, unless a delivery succeeds before.',
  },
  disabled_at: { ...timeOrNull, description: 'When the webhook was disabled. Null if it is enabled.' },
  disabled_cause: Type.Unsafe<'gone' | 'failing' | null>({
    type: ['string', 'null'],
    enum: ['gone', 'failing', null],
    description: '`gone`: the receiver answered 410. `failing`: every attempt failed for five days.',
  }),
  disabled_reason: textOrNull,
  created_at: time,
}

export const webhookSchema = Type.Object(webhookFields, { title: 'Webhook' })

export function webhookToWire(
  webhook: Webhook,
  health: WebhookHealth | undefined,
  actor: Requester,
): Static<typeof webhookSchema> {
  const failure = health?.lastFailure
  return {
    id: webhook.id,
    name: webhook.name,
    format: webhook.format,
    events: webhook.events,
    language: webhook.language,
    all_sites: webhook.allSites,
    site_ids: webhook.siteIds,
    signed: formats[webhook.format]?.signed ?? false,
    previous_secret_until: isoOrNull(health?.previousSecretUntil ?? null),
    last_delivered_at: isoOrNull(health?.lastDeliveredAt ?? null),
    failing_since: isoOrNull(webhook.failingSince),
    last_failure: failure ? { at: failure.startedAt.toISOString(), ...outcomeToWire(failure, actor) } : null,
    disabled_from: isoOrNull(health?.disabledFrom ?? null),
    disabled_at: isoOrNull(webhook.disabledAt),
    disabled_cause: disabledCause(webhook),
    disabled_reason: webhook.disabledReason,
    created_at: webhook.createdAt.toISOString(),
  }
}

function disabledCause({ disabledAt, disabledReason }: Webhook): 'gone' | 'failing' | null {
  if (disabledAt === null) return null
  return disabledReason === disabledReasons.gone ? 'gone' : 'failing'
}
