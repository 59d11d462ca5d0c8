import { Type } from 'typebox'
import { testWebhook as sendTest } from '#domain/deliveries/send-event.ts'
import { limitActor } from '#domain/limit-actor.ts'
import { enableWebhook as enable } from '#domain/webhooks/administer-webhooks.ts'
import { rotateWebhookSecret as rotate } from '#domain/webhooks/webhook-secret.ts'
import { readUuid, time, uuidParams } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { outcomeFields, outcomeToWire, webhookSchema } from './webhook-fields.ts'
import { withHealth } from './webhooks.ts'

export const testWebhook = operation({
  method: 'POST',
  path: '/webhooks/{id}/test',
  operationId: 'testWebhook',
  summary:
    'Send a test event now and return the answer of the receiver. The test is not retried and is not in the list of deliveries',
  scope: 'manage',
  role: 'manager',
  status: 200,
  params: uuidParams,
  answer: Type.Object(
    {
      arrived: Type.Boolean({ description: 'Whether the receiver answered with a status of 2xx.' }),
      ...outcomeFields,
    },
    { title: 'WebhookTest' },
  ),
  async handle({ db, keyring, receivers, clock, limiter }, { actor, params }) {
    await limitActor(limiter, actor, { of: 'webhook-test', perMinute: 10, otherwise: 'webhook_tests_too_many' })
    const ctx = { db, keyring, receivers, clock }
    const { arrived, ms, ...answer } = await sendTest(ctx, actor, { id: readUuid(params.id) })
    return { arrived, ...outcomeToWire({ ...answer, durationMs: ms }, actor) }
  },
})

export const enableWebhook = operation({
  method: 'POST',
  path: '/webhooks/{id}/enable',
  operationId: 'enableWebhook',
  summary: 'Enable a disabled webhook. To send failed deliveries again, replay them',
  scope: 'manage',
  role: 'manager',
  status: 200,
  params: uuidParams,
  answer: webhookSchema,
  async handle({ db }, { actor, params }) {
    return withHealth(db, await enable(db, actor, { id: readUuid(params.id) }), actor)
  },
})

export const rotateWebhookSecret = operation({
  method: 'POST',
  path: '/webhooks/{id}/rotate-secret',
  operationId: 'rotateWebhookSecret',
  summary:
    'Create a new signing secret, which is shown only once. For 24 hours, events are signed with the previous secret too',
  scope: 'manage',
  role: 'manager',
  status: 200,
  params: uuidParams,
  conflict: 'The webhook has no signing secret',
  answer: Type.Object({ secret: Type.String(), previous_secret_until: time }, { title: 'RotatedSecret' }),
  async handle({ db, keyring }, { actor, params }) {
    const { secret, previousSecretUntil } = await rotate({ db, keyring }, actor, { id: readUuid(params.id) })
    return { secret, previous_secret_until: previousSecretUntil.toISOString() }
  },
})
