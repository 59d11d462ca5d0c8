import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { limitedTo } from '#domain/actor.ts'
import { addWebhook, removeWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { defaultEvents, type EventType, eventTypes, languages, readEventTypes } from '#domain/webhooks/event-types.ts'
import { formats } from '#domain/webhooks/formats.ts'
import { receiverUrl } from '#domain/webhooks/receiver-url.ts'
import { findVisibleWebhook, listWebhookPage, type Webhook } from '#domain/webhooks/webhooks.queries.ts'
import { V2Error } from '../errors/problems.ts'
import { isoOrNull, readUuid, siteNumber, textOrNull, time, timeOrNull, uuidParams } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nameCursor, namePageQuery, nextCursor, readNameCursor } from '../kit/pages.ts'

const events = Type.Array(Type.Enum(Object.keys(eventTypes) as EventType[]), { minItems: 1, maxItems: 50 })
const format = Type.Enum(Object.keys(formats))
const language = Type.Enum([...languages], { description: 'The language of sentences in chats.' })

const webhookFields = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  format,
  events,
  language,
  all_sites: Type.Boolean(),
  site_ids: Type.Array(siteNumber, { description: 'Empty if `all_sites` is true.' }),
  failing_since: { ...timeOrNull, description: 'When deliveries began to fail; null while they arrive.' },
  disabled_at: { ...timeOrNull, description: 'When it was disabled because its receiver was gone.' },
  disabled_reason: textOrNull,
  created_at: time,
}

const webhookSchema = Type.Object(webhookFields, { title: 'Webhook' })

export const listWebhooks = operation({
  method: 'GET',
  path: '/webhooks',
  operationId: 'listWebhooks',
  summary: 'List the webhooks by name, without their addresses and secrets',
  scope: 'manage',
  role: 'manager',
  status: 200,
  query: Type.Object(namePageQuery, { additionalProperties: false }),
  answer: Type.Object({ webhooks: Type.Array(webhookSchema), next_cursor: nextCursor }),
  async handle({ db }, { actor, query: { limit = 50, cursor } }) {
    const after = readNameCursor(cursor)
    const found = await listWebhookPage(db, { onlySitesOf: limitedTo(actor), after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, nameCursor)
    return { webhooks: rows.map(toWire), next_cursor }
  },
})

export const createWebhook = operation({
  method: 'POST',
  path: '/webhooks',
  operationId: 'createWebhook',
  summary: 'Subscribe: send events to an address. The answer has the signing secret, which is shown only once',
  scope: 'manage',
  role: 'manager',
  status: 201,
  body: Type.Object(
    {
      url: Type.String({
        maxLength: 2_000,
        writeOnly: true,
        examples: ['https://hooks.example.com/catch/1'],
        description: 'It is encrypted and never shown again.',
      }),
      events: Type.Optional({ ...events, default: defaultEvents }),
      site_ids: Type.Optional(
        Type.Array(siteNumber, {
          minItems: 1,
          maxItems: 1_000,
          description: 'Without it: all sites, including later ones, which needs a key for all sites.',
        }),
      ),
      name: Type.Optional(
        Type.String({
          description: 'Must be unique among all webhooks. Without it, a name is made from the host.',
        }),
      ),
      format: Type.Optional({ ...format, default: 'generic' }),
      language: Type.Optional({ ...language, default: 'de' }),
    },
    { additionalProperties: false, title: 'NewWebhook' },
  ),
  answer: Type.Object(
    {
      ...webhookFields,
      secret: { ...textOrNull, description: 'Signs every event. Null for chats: there the address is the secret.' },
    },
    { title: 'CreatedWebhook' },
  ),
  async handle({ db, keyring, receiverAddresses }, { actor, body }) {
    const { site_ids: siteIds, language, format = 'generic' } = body
    const url = receiverUrl(body.url, receiverAddresses)
    const added = await addWebhook({ db, keyring }, actor, {
      name: body.name ?? nameFor(url),
      format,
      url,
      siteIds: siteIds && [...new Set(siteIds)],
      events: body.events && readEventTypes(body.events),
      language,
    })
    return { ...toWire(added), secret: added.secret }
  },
})

export const getWebhook = operation({
  method: 'GET',
  path: '/webhooks/{id}',
  operationId: 'getWebhook',
  summary: 'Get one webhook, without its address and secret',
  scope: 'manage',
  role: 'manager',
  status: 200,
  params: uuidParams,
  answer: webhookSchema,
  async handle({ db }, { actor, params }) {
    const webhook = await findVisibleWebhook(db, readUuid(params.id), limitedTo(actor))
    if (!webhook) throw new V2Error('not_found')
    return toWire(webhook)
  },
})

export const deleteWebhook = operation({
  method: 'DELETE',
  path: '/webhooks/{id}',
  operationId: 'deleteWebhook',
  summary: 'Unsubscribe: remove a webhook and the log of its deliveries',
  scope: 'manage',
  role: 'manager',
  status: 204,
  params: uuidParams,
  answer: Type.Void(),
  async handle({ db }, { actor, params }) {
    await removeWebhook(db, actor, { id: readUuid(params.id) })
  },
})

/** Workflow tools subscribe without a name. The host is no secret, unlike the rest of the address. */
function nameFor(url: string): string {
  return `${new URL(url).hostname.slice(0, 100)} ${randomUUID().slice(0, 8)}`
}

function toWire(webhook: Webhook): Static<typeof webhookSchema> {
  return {
    id: webhook.id,
    name: webhook.name,
    format: webhook.format,
    events: webhook.events,
    language: webhook.language,
    all_sites: webhook.allSites,
    site_ids: webhook.siteIds,
    failing_since: isoOrNull(webhook.failingSince),
    disabled_at: isoOrNull(webhook.disabledAt),
    disabled_reason: webhook.disabledReason,
    created_at: webhook.createdAt.toISOString(),
  }
}
