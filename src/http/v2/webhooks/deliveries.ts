import { type Static, Type } from 'typebox'
import type { Requester } from '#domain/actor.ts'
import { type DeliveryWithAttempts, readDeliveryPage } from '#domain/deliveries/read-delivery-log.ts'
import { maxAttempts } from '#domain/deliveries/record-failure.ts'
import { replayDeliveries as replay } from '#domain/deliveries/replay-deliveries.ts'
import type { InvalidField } from '../../errors/field-errors.ts'
import { count, isoOrNull, readUuid, time, timeOrNull, uuidParams } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nextCursor, pageQuery, readTimeCursor, timeCursor } from '../kit/pages.ts'
import { outcomeFields, outcomeToWire } from './webhook-fields.ts'

const state = Type.Unsafe<'pending' | 'delivered' | 'failed'>({
  type: 'string',
  enum: ['pending', 'delivered', 'failed'],
  description: '`pending`: the delivery waits for its next attempt. `failed`: the delivery was given up.',
})

const deliverySchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    event_id: Type.String({
      format: 'uuid',
      description: 'The id of the event. The receiver gets it in the header `webhook-id`.',
    }),
    type: Type.String({ description: 'The type of the event.' }),
    state,
    created_at: time,
    failed_attempts: { ...count, description: 'Number of failed attempts since the delivery was created or replayed.' },
    max_attempts: { ...count, description: 'The delivery is given up after this many failed attempts.' },
    next_attempt_at: timeOrNull,
    attempts: Type.Array(Type.Object({ attempt: count, started_at: time, ...outcomeFields }, { title: 'Attempt' }), {
      description: 'The last 30 attempts, oldest first.',
    }),
  },
  { title: 'Delivery' },
)

export const listDeliveries = operation({
  method: 'GET',
  path: '/webhooks/{id}/deliveries',
  operationId: 'listDeliveries',
  summary: 'List the deliveries of the last 30 days with their attempts, newest first',
  scope: 'manage',
  role: 'manager',
  status: 200,
  params: uuidParams,
  query: Type.Object(
    {
      state: Type.Optional(state),
      since: Type.Optional({ ...time, description: 'Only deliveries of events since this time.' }),
      ...pageQuery,
    },
    { additionalProperties: false },
  ),
  answer: Type.Object({
    deliveries: Type.Array(deliverySchema),
    failed: { ...count, description: 'Number of failed deliveries since `since`, on all pages and for every `state`.' },
    pending: {
      ...count,
      description: 'Number of pending deliveries since `since`, on all pages and for every `state`.',
    },
    next_cursor: nextCursor,
  }),
  async handle({ db }, { actor, params, query: { state = null, since, limit = 50, cursor } }) {
    const choice = { state, since: since === undefined ? null : new Date(since), after: readTimeCursor(cursor) }
    const ref = { id: readUuid(params.id) }
    const { deliveries, failed, pending } = await readDeliveryPage(db, actor, ref, { ...choice, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(deliveries, limit, timeCursor)
    return { deliveries: rows.map((delivery) => toWire(delivery, actor)), failed, pending, next_cursor }
  },
})

/** Ten transactions: a request must not run for minutes. */
const replayedAtMost = 10_000

export const replayDeliveries = operation({
  method: 'POST',
  path: '/webhooks/{id}/replay',
  operationId: 'replayDeliveries',
  summary: 'Send one delivery again, or all failed ones of a period, with the same webhook-id',
  scope: 'manage',
  role: 'manager',
  status: 202,
  params: uuidParams,
  conflict: 'The webhook is disabled',
  body: Type.Object(
    {
      delivery_id: Type.Optional(
        Type.String({
          maxLength: 36,
          description: 'Replays this delivery, whatever its state. Its `event_id` works too.',
        }),
      ),
      failed_since: Type.Optional({
        ...time,
        description: 'Replays all failed deliveries of events since this time, at most 10,000.',
      }),
    },
    {
      additionalProperties: false,
      title: 'Replay',
      examples: [{ failed_since: '2026-11-14T08:00:00Z' }],
      description: 'Exactly one of the fields.',
      rule: exactlyOne,
    },
  ),
  answer: Type.Object({
    replayed: { ...count, description: 'How many deliveries are sent again.' },
    more: Type.Boolean({ description: 'Whether more deliveries may be left. If so, send the same request again.' }),
  }),
  async handle({ db, queue }, { actor, now, params, body: { delivery_id, failed_since } }) {
    const choice =
      delivery_id === undefined
        ? { since: new Date(failed_since as string), until: now, onlyFailed: true }
        : { delivery: readUuid(delivery_id) }
    const ref = { id: readUuid(params.id) }
    const { replayed, isCut } = await replay({ db, queue }, actor, ref, choice, replayedAtMost)
    return { replayed, more: isCut }
  },
})

function exactlyOne({ delivery_id: id, failed_since: since }: Record<string, unknown>): InvalidField[] {
  if ((id === undefined) !== (since === undefined)) return []
  const allowed = { fields: ['delivery_id', 'failed_since'] }
  return [{ field: 'failed_since', code: id === undefined ? 'one_of_required' : 'not_together', allowed }]
}

function toWire(delivery: DeliveryWithAttempts, actor: Requester): Static<typeof deliverySchema> {
  return {
    id: delivery.id,
    event_id: delivery.webhookId,
    type: delivery.type,
    state: delivery.state,
    created_at: delivery.createdAt.toISOString(),
    failed_attempts: delivery.failures,
    max_attempts: maxAttempts,
    next_attempt_at: isoOrNull(delivery.nextAttemptAt),
    attempts: delivery.log.map((attempt) => ({
      attempt: attempt.attempt,
      started_at: attempt.startedAt.toISOString(),
      ...outcomeToWire(attempt, actor),
    })),
  }
}
