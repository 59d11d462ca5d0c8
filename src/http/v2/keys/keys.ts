import { Type } from 'typebox'
import { DomainError } from '#domain/errors.ts'
import { createKeyOnce, type KeyChange, revokeKey as revokeStoredKey, setKey } from '#domain/keys/administer-keys.ts'
import { defaultRateLimit } from '#domain/keys/key.ts'
import { findKey, listKeyPage } from '#domain/keys/keys.queries.ts'
import { maxGraceDays, rollKey as rollStoredKey } from '#domain/keys/roll-key.ts'
import { invalidRequest } from '../../errors/field-errors.ts'
import { changeBody, readUuid, siteNumber, timeOrNull, uuidParams } from '../kit/fields.ts'
import { issuingChange, readIssuing } from '../kit/issuing-fields.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nameCursor, namePageQuery, nextCursor, readNameCursor } from '../kit/pages.ts'
import { keySchema, keyScope, keysToWire, keyWithSecretSchema, oneKeyToWire, requestsPerMinute } from './key.ts'

// Only administrators may use these operations. They have no scope: a key must not be able to create keys.

export const listKeys = operation({
  method: 'GET',
  path: '/keys',
  operationId: 'listKeys',
  summary: 'List the API keys by name, with their usage of the last 14 days and without their secrets',
  role: 'admin',
  status: 200,
  query: Type.Object(namePageQuery, { additionalProperties: false }),
  answer: Type.Object({ keys: Type.Array(keySchema), next_cursor: nextCursor }),
  async handle(ctx, { now, query: { limit = 50, cursor } }) {
    const found = await listKeyPage(ctx.db, { after: readNameCursor(cursor), limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, nameCursor)
    return { keys: await keysToWire(ctx, now, rows), next_cursor }
  },
})

const siteIds = Type.Unsafe<number[] | null>({
  type: ['array', 'null'],
  items: siteNumber,
  minItems: 1,
  maxItems: 1_000,
  description: 'Only these sites. Null: all sites, including later ones. A new key without it is for all sites.',
})
const expiresAt = {
  ...timeOrNull,
  description:
    'When the key stops working. Null: never, which is the default. A key with the scope manage needs a time.',
}

export const createKey = operation({
  method: 'POST',
  path: '/keys',
  operationId: 'createKey',
  summary: 'Create an API key. The answer has its secret, which is shown only once',
  role: 'admin',
  recentSignIn: true,
  status: 201,
  acceptsIdempotencyKey: true,
  conflict: 'An earlier request with this Idempotency-Key has created the key, and the secret cannot be repeated',
  body: Type.Object(
    {
      name: Type.String({ examples: ['Check-in'], description: 'What the key is for.' }),
      scope: keyScope,
      site_ids: Type.Optional(siteIds),
      requests_per_minute: Type.Optional({ ...requestsPerMinute, default: defaultRateLimit }),
      ...issuingChange,
      expires_at: Type.Optional(expiresAt),
    },
    { additionalProperties: false, title: 'NewKey' },
  ),
  answer: keyWithSecretSchema,
  async handle(ctx, { actor, now, body, idempotencyKey }) {
    const { requests_per_minute: limit = defaultRateLimit } = body
    const { key, ...created } = await createKeyOnce(ctx, {
      actor,
      idempotencyKey,
      contents: body,
      wanted: {
        name: body.name,
        scope: body.scope,
        rateLimit: limit ?? 0,
        vouchersPerDay: body.vouchers_per_day ?? null,
        longestMinutes: body.longest_minutes ?? null,
        siteIds: body.site_ids ? [...new Set(body.site_ids)] : undefined,
        expiresAt: readExpiry(body.expires_at ?? null, now),
        cell: ctx.cell,
      },
    })
    return { ...(await oneKeyToWire(ctx, now, created)), secret: key }
  },
})

export const getKey = operation({
  method: 'GET',
  path: '/keys/{id}',
  operationId: 'getKey',
  summary: 'Get one API key with its usage, without its secret',
  role: 'admin',
  status: 200,
  params: uuidParams,
  answer: keySchema,
  async handle(ctx, { now, params }) {
    const key = await findKey(ctx.db, readUuid(params.id))
    if (!key) throw new DomainError('not_found')
    return oneKeyToWire(ctx, now, key)
  },
})

export const updateKey = operation({
  method: 'PATCH',
  path: '/keys/{id}',
  operationId: 'updateKey',
  summary: 'Change the name, sites, limits or expiry of an API key, at once and in every process',
  role: 'admin',
  recentSignIn: true,
  status: 200,
  conflict: 'The key is revoked',
  params: uuidParams,
  body: changeBody(
    {
      name: Type.Optional(Type.String({ examples: ['Check-in'] })),
      site_ids: Type.Optional(siteIds),
      requests_per_minute: Type.Optional(requestsPerMinute),
      ...issuingChange,
      expires_at: Type.Optional(expiresAt),
    },
    { title: 'KeyChange', examples: [{ requests_per_minute: 120 }] },
  ),
  answer: keySchema,
  async handle(ctx, { actor, now, params, body }) {
    const { name, site_ids, requests_per_minute: limit, expires_at } = body
    const change: KeyChange = {
      name,
      siteIds: site_ids === null ? 'all' : site_ids && [...new Set(site_ids)],
      rateLimit: limit === null ? 0 : limit,
      ...readIssuing(body),
      expiresAt: expires_at === undefined ? undefined : readExpiry(expires_at, now),
    }
    return oneKeyToWire(ctx, now, await setKey(ctx.db, actor, readUuid(params.id), change))
  },
})

export const rollKey = operation({
  method: 'POST',
  path: '/keys/{id}/roll',
  operationId: 'rollKey',
  summary: 'Give an API key a new secret, which is shown only once. Old secrets work until a chosen time',
  role: 'admin',
  recentSignIn: true,
  status: 200,
  conflict: 'The key has a new prefix, is revoked or has expired',
  params: uuidParams,
  body: Type.Object(
    {
      prefix: Type.String({
        maxLength: 300,
        examples: ['vsk_1a2B3c4D'],
        description: 'The current prefix of the key. If the key has another prefix, nothing changes.',
      }),
      old_valid_until: {
        ...timeOrNull,
        description: `When the existing secrets stop working, at most ${maxGraceDays} days ahead. Null: at once.`,
      },
    },
    { additionalProperties: false, title: 'KeyRoll' },
  ),
  answer: keyWithSecretSchema,
  async handle(ctx, { actor, now, params, body }) {
    const { key, ...rolled } = await rollStoredKey(ctx.db, actor, {
      named: readUuid(params.id),
      currentPrefix: body.prefix,
      oldValidUntil: body.old_valid_until === null ? null : new Date(body.old_valid_until),
      cell: ctx.cell,
    })
    return { ...(await oneKeyToWire(ctx, now, rolled)), secret: key }
  },
})

export const revokeKey = operation({
  method: 'DELETE',
  path: '/keys/{id}',
  operationId: 'revokeKey',
  summary: 'Revoke an API key with all its secrets, at once and in every process',
  role: 'admin',
  recentSignIn: true,
  status: 204,
  params: uuidParams,
  answer: Type.Void(),
  async handle({ db }, { actor, params }) {
    await revokeStoredKey(db, actor, readUuid(params.id))
  },
})

/** A time that has passed would make a key that never works. */
function readExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null
  const expiresAt = new Date(text)
  if (expiresAt.getTime() < now.getTime() + 60_000) throw invalidRequest({ field: 'expires_at', code: 'in_the_past' })
  return expiresAt
}
