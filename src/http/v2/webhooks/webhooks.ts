import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import { limitingActorId, type Requester } from '#domain/actor.ts'
import { listWebhookHealth } from '#domain/deliveries/webhook-health.queries.ts'
import { addWebhook, removeWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { changeWebhook } from '#domain/webhooks/change-webhook.ts'
import { defaultEvents, readEventTypes } from '#domain/webhooks/event-types.ts'
import { findSeenWebhook } from '#domain/webhooks/own-webhook.ts'
import { receiverUrl } from '#domain/webhooks/receiver-url.ts'
import { listWebhookPage, type Webhook } from '#domain/webhooks/webhooks.queries.ts'
import { changeBody, readUuid, siteNumber, textOrNull, uuidParams } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nameCursor, namePageQuery, nextCursor, readNameCursor } from '../kit/pages.ts'
import { events, format, language, url, webhookFields, webhookSchema, webhookToWire } from './webhook-fields.ts'

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
    const found = await listWebhookPage(db, { onlySitesOf: limitingActorId(actor), after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, nameCursor)
    const health = await listWebhookHealth(
      db,
      rows.map(({ id }) => id),
    )
    return { webhooks: rows.map((row) => webhookToWire(row, health.get(row.id), actor)), next_cursor }
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
  conflict: 'Another webhook has this name, or there are already 20 webhooks for one of the sites or for all sites',
  body: Type.Object(
    {
      url,
      events: Type.Optional({ ...events, default: defaultEvents }),
      site_ids: Type.Optional(
        Type.Array(siteNumber, {
          minItems: 1,
          maxItems: 1_000,
          description:
            'Only these sites. Without it: all sites, including later ones, which needs a key for all sites or an administrator.',
        }),
      ),
      name: Type.Optional(
        Type.String({
          description:
            'A name that is unique among all webhooks. Without it, the name is the format and some random characters.',
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
      secret: {
        ...textOrNull,
        description: 'The secret that signs every event. Null for chats, because their address is itself a secret.',
      },
    },
    { title: 'CreatedWebhook' },
  ),
  async handle({ db, keyring, receiverAddresses }, { actor, body }) {
    const { site_ids: siteIds, language, format = 'generic' } = body
    const url = receiverUrl(body.url, receiverAddresses)
    const added = await addWebhook({ db, keyring }, actor, {
      name: body.name ?? nameFor(format),
      format,
      url,
      siteIds: siteIds && [...new Set(siteIds)],
      events: body.events && readEventTypes(body.events),
      language,
    })
    return { ...webhookToWire(added, undefined, actor), secret: added.secret }
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
    return withHealth(db, await findSeenWebhook(db, actor, { id: readUuid(params.id) }), actor)
  },
})

export const updateWebhook = operation({
  method: 'PATCH',
  path: '/webhooks/{id}',
  operationId: 'updateWebhook',
  summary: 'Change a webhook. Pending deliveries are sent to the new address',
  scope: 'manage',
  role: 'manager',
  status: 200,
  params: uuidParams,
  conflict: 'Another webhook has this name, or there are already 20 webhooks for one of the new sites or for all sites',
  body: changeBody(
    {
      name: Type.Optional(Type.String({ description: 'A name that is unique among all webhooks.' })),
      url: Type.Optional(url),
      events: Type.Optional(events),
      site_ids: Type.Optional(
        Type.Unsafe<number[] | null>({
          type: ['array', 'null'],
          items: siteNumber,
          minItems: 1,
          maxItems: 1_000,
          description:
            'Only these sites. Null: all sites, including later ones, which needs a key for all sites or an administrator. Deliveries of other sites are hidden and not sent, and are deleted a few minutes later.',
        }),
      ),
      language: Type.Optional(language),
    },
    { title: 'WebhookChange', examples: [{ events: ['voucher.created', 'voucher.revoked'] }] },
  ),
  answer: webhookSchema,
  async handle({ db, keyring, receiverAddresses }, { actor, params, body }) {
    const changed = await changeWebhook(
      { db, keyring },
      actor,
      { id: readUuid(params.id) },
      {
        name: body.name,
        url: body.url === undefined ? undefined : receiverUrl(body.url, receiverAddresses),
        events: body.events && readEventTypes(body.events),
        language: body.language,
        siteIds: body.site_ids && [...new Set(body.site_ids)],
      },
    )
    return withHealth(db, changed, actor)
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

/** A name for workflow tools, which subscribe without one. It says nothing about the address: a host can be a secret too. */
function nameFor(format: string): string {
  return `${format} ${randomUUID().slice(0, 8)}`
}

export async function withHealth(db: Queryable, webhook: Webhook, actor: Requester) {
  return webhookToWire(webhook, (await listWebhookHealth(db, [webhook.id])).get(webhook.id), actor)
}
